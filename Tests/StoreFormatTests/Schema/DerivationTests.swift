import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite
struct DerivationTests {
    private static func model(_ format: String) -> ModelDescription {
        var model = Museum.model
        var total = AttributeDescription(name: "extra", type: .double, isOptional: true)
        total.derivation = DerivationExpression(hashDescription: format, format: format)
        for i in model.entities.indices where model.entities[i].name == "Room" {
            model.entities[i].attributes.append(total)
        }
        return model
    }

    @Test(
        "a derived attribute that no known trigger keeps is refused by its name, and nothing is left",
        arguments: [
            "works.@sum.value", "works.@max.year", "now()", "uppercase:(name)", "name", "works.@count.x",
            "guide.@count",
        ])
    func unknown(_ format: String) throws {
        let folder = try TemporaryFolder()
        let error = expectStoreError(.unsupportedDerivation) {
            try StoreCreator.create(folder.file("s.sqlite"), model: Self.model(format))
        }
        #expect(error?.message.contains("Room.extra (\(format))") ?? false)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test("triggers keep a count and a value of another object through every change")
    func kept() throws {
        let sample = try Museum.make()
        let authority = try sample.authority()
        func counts() throws -> [SQLValue] {
            try sample.connection.query("SELECT ifnull(ZWORKSCOUNT, -1) FROM ZROOM ORDER BY Z_PK").map { $0[0] }
        }
        #expect(try counts() == [2])
        try sample.insert("Room", ["name": .string("West")], authority)
        #expect(try counts() == [2, 0])
        let work = try sample.entity("Work")
        guard case .toOne(let key)? = work.relationship("room")?.storage else { throw CancellationError() }
        try sample.save(authority) {
            _ = try $0.update(work, key: 2, expecting: nil, columns: [(key.column, .integer(2))], changed: ["room"])
        }
        #expect(try counts() == [1, 1])
        let name = try #require(try sample.entity("Artist").attribute("name")?.leaf?.column)
        try sample.save(authority) {
            _ = try $0.update(
                try sample.entity("Artist"), key: 1, expecting: nil, columns: [(name, .text("Eve"))], changed: ["name"])
        }
        #expect(try sample.scalar("SELECT ZMAKERNAME FROM ZWORK WHERE Z_PK = 2") == "Eve")
        try sample.expectSound()
    }

    /// `Author`, which inherits from `Party` as `Reader` does, has both kinds of derived attributes.
    private static func parties(_ more: [AttributeDescription] = []) -> ModelDescription {
        var count = Short.attribute("bookCount", .integer32)
        count.derivation = DerivationExpression(hashDescription: "count:(books)", format: "books.@count")
        var town = Short.attribute("townName")
        town.derivation = DerivationExpression(hashDescription: "town.name", format: "town.name")
        return Short.model(
            Short.entity("Party", [Short.attribute("name")] + more),
            Short.entity("Reader", parent: "Party"),
            Short.entity(
                "Author", parent: "Party", [count, town],
                [Short.toMany("books", "Book", inverse: "author"), Short.toOne("town", "Town", inverse: "authors")]),
            Short.entity("Book", [Short.attribute("title")], [Short.toOne("author", "Author", inverse: "books")]),
            Short.entity("Town", [Short.attribute("name")], [Short.toMany("authors", "Author", inverse: "town")]))
    }

    @Test("where a subentity has a derived attribute, rows of its siblings are sound, grown and migrated alike")
    func siblings() throws {
        let sample = try MigrationSample(Self.parties())
        try sample.write { writer in
            _ = try writer.save(SampleStore.authority, TransactionIdentity(author: nil, contextName: nil)) { save in
                try SampleStore.insert("Town", ["name": .string("Bath")], in: save)
                try SampleStore.insert("Party", ["name": .string("p")], in: save)
                try SampleStore.insert("Reader", ["name": .string("r")], in: save)
                try SampleStore.insert("Author", ["name": .string("a")], keys: ["town": 1], in: save)
                try SampleStore.insert("Book", ["title": .string("b")], keys: ["author": 3], in: save)
            }
        }
        try sample.expectSound(Self.parties())
        let rows = "SELECT Z_PK, Z_ENT, ZBOOKCOUNT, ZTOWNNAME FROM ZPARTY ORDER BY 1"
        let grown = try sample.rows(rows)
        // Author is 3, Party 2, Reader 4.
        #expect(grown.last == "3|3|1|Bath")
        let new = Self.parties([Short.attribute("note")])
        try sample.migrate(to: new)
        #expect(try sample.rows(rows) == grown)
        try sample.expectSound(new)
    }
}
