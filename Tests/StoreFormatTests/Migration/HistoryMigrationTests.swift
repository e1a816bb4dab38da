import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// History: the same transactions under the same numbers, with the entities and properties of now.
@Suite struct HistoryMigrationTests {
    private static let old = Short.model(
        Short.entity(
            "Book",
            [
                Short.attribute("isbn", kept: true), Short.attribute("pages", .integer16), Short.attribute("title"),
                Short.attribute("code", kept: true),
            ], [Short.toOne("shelf", "Shelf", inverse: "books")]),
        Short.entity("Shelf", [Short.attribute("label")], [Short.toMany("books", "Book", inverse: "shelf")]),
        Short.entity("Gone", [Short.attribute("label")]))

    private static let new = Short.model(
        Short.entity("Author", [Short.attribute("name")]),
        Short.entity(
            "Book",
            [
                Short.attribute("aTitle", was: "title"), Short.attribute("pages", .integer16), Short.attribute("blurb"),
                Short.attribute("ean", was: "isbn", kept: true), Short.attribute("added", kept: true),
                Short.attribute("code"),
            ], [Short.toOne("author", "Author"), Short.toOne("place", "Rack", inverse: "books", was: "shelf")]),
        Short.entity(
            "Rack", was: "Shelf", [Short.attribute("label")], [Short.toMany("books", "Book", inverse: "place")]))

    /// Four transactions: inserts, an update of title and shelf, a change of what goes, a deletion.
    private func sample() throws -> MigrationSample {
        let sample = try MigrationSample(Self.old)
        try sample.write { writer in
            func save(_ author: String, _ body: (SaveTransaction) throws -> Void) throws {
                _ = try writer.save(SampleStore.authority, TransactionIdentity(author: author), body)
            }
            try save("first") { save in
                try SampleStore.insert(
                    "Book", ["title": .string("Dune"), "isbn": .string("978"), "code": .string("c")], in: save)
                try SampleStore.insert("Book", ["title": .string("Kim")], in: save)
                try SampleStore.insert("Shelf", [:], in: save)
            }
            let book = try writer.store.layout.entity("Book")
            try save("second") { save in
                let title = try #require(book.attribute("title")?.leaf?.column)
                guard case .toOne(let shelf)? = book.relationship("shelf")?.storage else { return }
                _ = try save.update(
                    book, key: 2, expecting: nil,
                    columns: [(index: title, value: .text("Kim!")), (index: shelf.column, value: .integer(1))],
                    changed: ["title", "shelf"])
            }
            try save("third") { save in try SampleStore.insert("Gone", [:], in: save) }
            try save("fourth") { save in _ = try save.delete(book, key: 1, expecting: nil) }
        }
        return sample
    }

    private func history(_ path: String) throws -> [HistoryTransaction] {
        let store = try Store.open(path)
        return try HistoryReader(try StoreConnector.offlineReader(path), store: store).transactions(after: 0)
    }

    private func text(_ change: HistoryChange) -> String {
        "\(change.kind) \(change.object)"
            + (change.properties.isEmpty ? "" : ": " + change.properties.joined(separator: ", "))
    }

    @Test func changesNameTheEntitiesAndPropertiesOfNow() throws {
        let sample = try sample()
        let before = try history(sample.path)
        #expect(before.map(\.number) == [1, 2, 3, 4])
        let digest = try #require(try Store.open(sample.path).metadata.digest)
        try sample.migrate(to: Self.new, allowsDataLoss: true)
        let after = try history(sample.path)
        #expect(after.map(\.number) == [1, 2, 3, 4, 5])
        #expect(after.prefix(4).map(\.timestamp) == before.map(\.timestamp))
        #expect(after[0].changes.map(text) == ["insert Book/1", "insert Book/2", "insert Rack/1"])
        #expect(after[1].changes.map(text) == ["update Book/2: aTitle, place"])
        #expect(after[2].changes.isEmpty, "what changed an entity that is gone is gone, its transaction is not")
        #expect(after[3].changes.map(text) == ["delete Book/1"])
        #expect(after[3].changes.first?.tombstone == ["ean": .string("978")], "what is kept by the name of now")
        #expect(after[4].changes.isEmpty)
        #expect(
            after.map(\.author) == [
                "first", "second", "third", "fourth",
                "com.apple.coredata.schemamigrator: lightweight migration from model with digest { \(digest) }",
            ])
        try sample.expectSound(Self.new)
    }

    /// By Format, section 8.4. Slots before: shelf, code, isbn, pages, title, so 2 changed bits are 1000 1000. Slots after:
    /// author, place, aTitle, added, blurb, code, ean, pages: 0110 0000.
    @Test func bitsMoveToTheSlotsOfNow() throws {
        let sample = try sample()
        let bits = "SELECT ZENTITY, ZENTITYPK, ZCOLUMNS FROM ACHANGE WHERE ZCHANGETYPE = 1"
        #expect(try sample.rows(bits) == ["1|2|88"])
        try sample.migrate(to: Self.new, allowsDataLoss: true)
        #expect(try sample.rows(bits) == ["2|2|60"])
        // Attributes kept after deletion: code, isbn before; added, ean now.
        #expect(
            try sample.rows("SELECT ZENTITY, ZTOMBSTONE0, ZTOMBSTONE1 FROM ACHANGE WHERE ZCHANGETYPE = 2") == ["2||978"]
        )
    }

    @Test func numbersGoOnFromTheHighestThatWasHandedOut() throws {
        let sample = try sample()
        try sample.execute("DELETE FROM ACHANGE; DELETE FROM ATRANSACTION")
        try sample.migrate(to: Self.new, allowsDataLoss: true)
        #expect(try sample.rows("SELECT Z_PK FROM ATRANSACTION") == ["5"])
        #expect(try sample.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 16000").count == 3)
        try sample.write { writer in
            let number = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
                try SampleStore.insert("Author", ["name": .string("Ada")], in: save)
            }.1
            #expect(number == 6)
        }
        try sample.expectSound(Self.new)
    }

    @Test func historyCanBePurgedWholeRightAfterAMigration() throws {
        let sample = try MigrationSample(Self.old)
        try sample.write { writer in
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
                for i in 1...10_000 { try SampleStore.insert("Book", ["title": .string("\(i)")], in: save) }
            }
        }
        try sample.migrate(to: Self.new, allowsDataLoss: true)
        #expect(try sample.rows("SELECT Z_PK FROM ATRANSACTION") == ["1", "2"])
        try sample.write { writer in
            let purge = HistoryPurge(writer.connection, store: writer.store)
            let plan = try purge.plan(.keeping(0))
            #expect(plan.last == 2)
            while try purge.step(through: plan.last) {}
        }
        #expect(
            try sample.rows("SELECT (SELECT count(*) FROM ATRANSACTION), (SELECT count(*) FROM ACHANGE)") == ["0|0"])
        let rows = try sample.rows("SELECT count(*), count(DISTINCT ZATITLE), max(ZATITLE + 0) FROM ZBOOK")
        #expect(rows == ["10000|10000|10000"])
        try sample.write { writer in
            let number = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
                try SampleStore.insert("Author", ["name": .string("Ada")], in: save)
            }.1
            #expect(number == 3)
        }
        try sample.expectSound(Self.new)
    }

    @Test func aStoreThatWasNeverTrackedStaysSo() throws {
        let sample = try MigrationSample(Self.old, isTracked: false)
        try sample.migrate(to: Self.new)
        #expect(try sample.rows("SELECT count(*) FROM sqlite_master WHERE name = 'ACHANGE'") == ["0"])
        try sample.expectSound(Self.new)
    }
}
