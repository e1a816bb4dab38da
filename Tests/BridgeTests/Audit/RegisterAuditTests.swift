import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// The audit of a store whose register, or its bounds, were thinned to hide a write by the wrong stack.
///
/// Transaction 1: legacy inserts Tag/1; 2: legacy inserts Book/1; 3: legacy updates it.
@Suite struct RegisterAuditTests {
    private static func story() throws -> BridgeSample {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        let book = try bridge.legacy.insert("Book", ["title": .string("Dune")])
        try bridge.legacy.update(book, ["title": .string("Dune Messiah")])
        bridge.close()
        return sample
    }

    private static let wrong = "UPDATE COEXIST_TRANSACTION SET STACK = 'model' WHERE NUMBER = 1;"

    static let planted: [(sql: String, place: String, what: String)] = [
        (
            "DELETE FROM COEXIST_ENTITY WHERE NAME = 'Tag'", "Tag",
            "the register has no unit of it: who wrote it is not proved"
        ),
        (
            "DELETE FROM COEXIST_UNIT WHERE NAME = 'Tag'", "Tag",
            "its unit Tag is not in the register: who wrote it is not proved"
        ),
        (
            "UPDATE COEXIST_ENTITY SET UNIT = 'Book' WHERE NAME = 'Tag'", "Tag",
            "the register has it in the unit Book, but it belongs to Tag"
        ),
        (
            "UPDATE COEXIST_STATE SET HISTORY_START = 2", "COEXIST_STATE",
            "HISTORY_START is 2, but the writers of transactions up to it are recorded, 2 in all"
        ),
        (
            "UPDATE COEXIST_STATE SET PURGE_FLOOR = 3", "COEXIST_STATE",
            "PURGE_FLOOR is 3, but transactions below it are there, 2 in all"
        ),
    ]

    @Test(arguments: planted.indices)
    func isFound(_ index: Int) throws {
        let (sql, place, what) = Self.planted[index]
        let sample = try Self.story()
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
        try sample.foreign(Self.wrong + sql)
        let found = try Audit.run(Store.open(sample.path)).violations
        #expect(found.contains(.init(rule: .record, place: place, what: what)), "\(found)")
    }

    @Test func whatARaisedBoundHidesIsLookedAtAllTheSame() throws {
        let sample = try Self.story()
        try sample.foreign(Self.wrong + "UPDATE COEXIST_STATE SET HISTORY_START = 2")
        let report = try Audit.run(Store.open(sample.path))
        #expect(report.transactions == 3)
        #expect(report.violations.contains { $0.rule == .writer && $0.place == "transaction 1" })
        let store = try Store.open(sample.path)
        let verified = try StoreVerifier.verify(StoreConnector.offlineReader(sample.path), store: store)
        #expect(verified.contains { $0.rule == "coexist-state" && $0.what.contains("HISTORY_START") })
    }

    @Test func aTableOfPairsWithoutAnOwnerIsFound() throws {
        let sample = try Self.story()
        let table = try #require(try sample.rows("SELECT NAME FROM COEXIST_JOIN").first?[0].textValue)
        try sample.foreign("DELETE FROM COEXIST_JOIN")
        let found = try Audit.run(Store.open(sample.path)).violations
        #expect(
            found == [
                .init(
                    rule: .record, place: table,
                    what: "the register has no owner of its pairs: who wrote them is not proved")
            ])
    }
}
