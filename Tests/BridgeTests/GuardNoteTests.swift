import Bridge
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// What the guard notes in mode `record` does not pile up.
@Suite struct GuardNoteTests {
    private func notes(_ sample: BridgeSample) -> Int64? {
        (try? sample.rows("SELECT count(*) FROM COEXIST_FOREIGN"))?.first?[0].integerValue
    }

    @Test func whatACommitWroteBesideItsHistoryIsInTheNotes() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .record }
        defer { bridge.close() }
        _ = try bridge.legacy.insert("Tag", ["name": .string("a")])
        let book = try bridge.legacy.insert("Book", ["title": .string("old")])
        try bridge.replay()
        for stack in StackName.allCases { #expect(try bridge.instance(stack).value(book, "title") == .string("old")) }
        try sample.foreignSave(and: "UPDATE ZBOOK SET ZTITLE = 'new', Z_OPT = 2;")
        #expect(eventually { notes(sample) == 0 })
        #expect(eventually { bridge.alarms.contains { $0.contains("Book") } }, "\(bridge.alarms)")
        for stack in StackName.allCases { #expect(try bridge.instance(stack).value(book, "title") == .string("new")) }
    }

    @Test func notesOfChangesThatHistoryTellsAreDropped() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .record }
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.replay()
        try sample.foreignSave()
        #expect(eventually { notes(sample) == 0 })
        try bridge.replay(to: 2)
        for stack in StackName.allCases { #expect(try bridge.instance(stack).value(tag, "name") == .string("b")) }
        #expect(bridge.alarms.isEmpty)
    }

    @Test func notesFromATimeWithoutADaemonRaiseAnAlarmAtTheStart() throws {
        let sample = try BridgeSample()
        try sample.open { $0.guardMode = .record }.close()
        try sample.foreign(
            """
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 1, Z_ENT, 1, 'x' FROM Z_PRIMARYKEY LIMIT 1;
            UPDATE ZTAG SET ZNAME = 'y';
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) SELECT 4, Z_ENT, 1 FROM Z_PRIMARYKEY LIMIT 1;
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) SELECT 5, Z_ENT, 1 FROM Z_PRIMARYKEY LIMIT 1;
            """)
        #expect(notes(sample) == 4)
        let bridge = try sample.open { $0.guardMode = .record }
        #expect(notes(sample) == 0)
        #expect(
            bridge.alarms == [
                "while no daemon ran, another program wrote rows that no history tells of: ZSHELF (2 rows), ZTAG (1 row)"
            ])
        #expect(bridge.counts.untracked == 1 && bridge.counts.alarms == 1)
        bridge.close()
        let next = try sample.open { $0.guardMode = .record }
        defer { next.close() }
        #expect(next.alarms == [])
    }

    @Test func whatHistoryTellsOfFromATimeWithoutADaemonRaisesNone() throws {
        let sample = try BridgeSample()
        do {
            let bridge = try sample.open { $0.guardMode = .record }
            try bridge.legacy.insert("Tag", ["name": .string("a")])
            try bridge.legacy.insert("Tag", ["name": .string("b")])
            bridge.close()
        }
        try sample.foreign(Self.tracked)
        let bridge = try sample.open { $0.guardMode = .record }
        #expect(bridge.alarms == [] && notes(sample) == 0)
        bridge.close()
        // A row that the transaction does not name, in the same commit or another.
        try sample.foreign("UPDATE ZTAG SET ZNAME = 'd' WHERE Z_PK = 2")
        let again = try sample.open { $0.guardMode = .record }
        defer { again.close() }
        #expect(again.alarms.first?.hasSuffix(": ZTAG (1 row)") == true)
    }

    /// Another program's transaction 3, which updates the first tag.
    private static let tracked = """
        BEGIN IMMEDIATE;
        UPDATE ZTAG SET ZNAME = 'c', Z_OPT = 2 WHERE Z_PK = 1;
        INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
            SELECT 3, 16001, 1, Z_ENT, 1, 3, x'80' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag';
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (3, 16002, 1.5);
        UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT IN (16001, 16002);
        COMMIT;
        """

    @Test func anotherProgramsTransactionIsTheLastWrite() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .record }
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.legacy.insert("Tag", ["name": .string("b")])
        func last() throws -> LastWrite? {
            try bridge.read { try LastWrite.read($0, store: bridge.store) }["Tag"]
        }
        #expect(try last()?.transaction == 2 && last()?.stack == .legacy)
        try sample.foreign(Self.tracked)
        #expect(try last()?.transaction == 3 && last()?.stack == nil)
        #expect(try last()?.heading?.timestamp.timeIntervalSinceReferenceDate == 1.5)
        try bridge.legacy.insert("Tag", ["name": .string("e")])
        #expect(try last()?.transaction == 4 && last()?.stack == .legacy)
        // With history the record of its writers goes.
        #expect(try bridge.prune(.through(4)).transactions == 4)
        #expect(try last() == nil)
    }

    /// A row of pairs belongs to objects of both ends.
    @Test func aNotedPairIsShownByBothEnds() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .record }
        defer { bridge.close() }
        try bridge.legacy.insert("Book", ["title": .string("Emma")])
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.replay()
        let context = try #require(bridge.legacy as? LegacyInstance).newContext()
        let ends = try [("Book", "tags"), ("Tag", "books")].map { entity, name in
            (try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).first), name)
        }
        func members() -> [Int?] {
            ends.map { object, name in (object.value(forKey: name) as? Set<NSManagedObject>)?.count }
        }
        #expect(members() == [0, 0])
        let table = try #require(try bridge.register()?.unitOfJoinTable.keys.first)
        try sample.foreign("INSERT INTO \(table) VALUES (1, 1)")
        #expect(eventually { members() == [1, 1] })
        #expect(eventually { bridge.counts.untracked == 1 })
    }
}
