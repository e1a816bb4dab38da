import Bridge
import SQLite
import StoreFormat
import TestKit
import Testing

/// Another program drops a table or a column of a store that is in use.
@Suite struct LostTableTests {
    @Test(arguments: ["DROP TABLE ZTAG", "ALTER TABLE ZTAG DROP COLUMN ZNAME", "pairs"])
    func nothingMoreIsWritten(sql: String) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        try bridge.legacy.insert("Book", ["title": .string("Dune")])
        try bridge.replay()
        try sample.foreign("DROP INDEX IF EXISTS Z_Tag_UNIQUE_name")
        let pairs = try #require(try sample.rows("SELECT NAME FROM COEXIST_JOIN").first?[0].textValue)
        try sample.foreign(sql == "pairs" ? "DROP TABLE \(pairs)" : sql)
        #expect(eventually { bridge.problem?.code == .damaged })
        #expect(bridge.problem?.message.contains("gone from") == true)
        for stack in StackName.allCases {
            let error = #expect(throws: StoreError.self) {
                try bridge.instance(stack).insert("Book", ["title": .string("no")])
            }
            #expect(error?.code == .damaged)
        }
    }

    @Test func theAuditMissesEveryObjectAndTheNextStartIsReadOnly() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        for name in ["a", "b"] { try bridge.legacy.insert("Tag", ["name": .string(name)]) }
        let gone = try bridge.legacy.insert("Tag", ["name": .string("c")])
        _ = try bridge.legacy.save(ObjectBatch([.delete(gone, expecting: nil)]))
        bridge.close()
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
        try sample.foreign("DROP TABLE ZTAG")
        let found = try Audit.run(Store.open(sample.path)).violations
        #expect(found.filter { $0.rule == .object }.map(\.place) == ["Tag", "Tag/1", "Tag/2"])
        let again = try sample.open { $0.guardMode = .off }
        defer { again.close() }
        #expect(again.problem?.code == .damaged && again.readOnlyReason != nil)
    }

    @Test func theAuditMissesATableOfPairs() throws {
        let sample = try BridgeSample()
        try sample.open { $0.guardMode = .off }.close()
        let table = try #require(try sample.rows("SELECT NAME FROM COEXIST_JOIN").first?[0].textValue)
        try sample.foreign("DROP TABLE \(table)")
        let found = try Audit.run(Store.open(sample.path)).violations
        #expect(found == [.init(rule: .pair, place: table, what: "the table is gone, with every pair")])
    }
}
