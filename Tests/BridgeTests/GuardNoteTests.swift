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

    @Test func notesFromATimeWithoutADaemonAreDroppedAtTheStart() throws {
        let sample = try BridgeSample()
        try sample.open { $0.guardMode = .record }.close()
        try sample.foreign(
            "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT 1, Z_ENT, 1, 'x' FROM Z_PRIMARYKEY LIMIT 1")
        #expect(notes(sample) == 1)
        let bridge = try sample.open { $0.guardMode = .record }
        defer { bridge.close() }
        #expect(notes(sample) == 0)
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
