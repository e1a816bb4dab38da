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
}
