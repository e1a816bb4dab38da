import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite
struct SaveTransactionTests {
    @Test("keys are handed out in order and never again, also after the last one was deleted")
    func keys() throws {
        let sample = try SampleStore()
        let keys = try (0..<3).map { _ in try sample.insert("Shelf") }
        #expect(keys == [1, 2, 3])
        try sample.delete("Shelf", 3)
        #expect(try sample.insert("Shelf") == 4)
        // One table and one key space for a tree.
        #expect(try sample.insert("Author") == 1)
        #expect(try sample.insert("Member") == 2)
        #expect(try sample.scalar("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Person'") == 2)
        #expect(try sample.scalar("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Author'") == 0)
        try sample.expectSound()
    }

    @Test("a counter that is behind the rows is not believed")
    func counterBehind() throws {
        let sample = try SampleStore()
        try sample.connection.execute("INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (70, 5, 1)")
        #expect(try sample.insert("Shelf") == 71)
    }

    @Test("a new row has version 1, and each update adds 1")
    func versions() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Shelf")
        let version = { try sample.scalar("SELECT Z_OPT FROM ZSHELF") }
        #expect(try version() == 1)
        #expect(try sample.update("Shelf", key, ["label": .string("A")], expecting: 1))
        #expect(try version() == 2)
        #expect(try !sample.update("Shelf", key, ["label": .string("B")], expecting: 1))
        #expect(try version() == 2)
        #expect(try sample.value("Shelf", key, "label") == .string("A"))
        #expect(try sample.update("Shelf", key, [:]))
        #expect(try version() == 3)
        try sample.expectSound()
    }

    @Test("a save without changes writes nothing, and no transaction")
    func nothing() throws {
        let sample = try SampleStore()
        #expect(try sample.save { _ in } == nil)
        #expect(try !sample.update("Shelf", 9, ["label": nil]))
        #expect(try sample.count("ATRANSACTION") == 0)
    }

    @Test("a body that throws leaves the file's content as it was")
    func failure() throws {
        let sample = try SampleStore()
        try sample.insert("Shelf")
        let before = try Tables(sample.connection)
        #expect(throws: CancellationError.self) {
            try sample.save { save in
                try SampleStore.insert("Shelf", in: save)
                throw CancellationError()
            }
        }
        #expect(try Tables(sample.connection) == before)
    }

    @Test("a unique conflict names the object and the attribute, and undoes the whole save")
    func unique() throws {
        let sample = try SampleStore()
        try sample.insert("Tag", ["name": .string("new")])
        let before = try Tables(sample.connection)
        let error = expectStoreError(.uniqueConflict) {
            try sample.save { save in
                try SampleStore.insert("Shelf", in: save)
                try SampleStore.insert("Tag", ["name": .string("new")], in: save)
            }
        }
        #expect(error?.objects.map(\.object) == [0, 1].map { ObjectReference(entity: "Tag", key: $0) })
        #expect(error?.message.contains("name") == true)
        #expect(try Tables(sample.connection) == before)
    }

    @Test("the key of a deleted object is not handed out again, though the counter was set back")
    func keyOfDeleted() throws {
        let sample = try SampleStore()
        for name in ["a", "b", "c"] { try sample.insert("Tag", ["name": .string(name)]) }
        try sample.delete("Tag", 3)
        try sample.connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Tag'")
        let writer = try StoreWriter(store: try Store.open(sample.path))
        let keys = try (1...2).map { i in
            try writer.save(SampleStore.authority, TransactionIdentity()) {
                try SampleStore.insert("Tag", ["name": .string("d\(i)")], in: $0)
            }.0
        }
        #expect(keys == [4, 5])
        try sample.expectSound()
    }

    @Test("a unique conflict with a sibling's object, or by another program's index, names object and property")
    func uniqueInTheTable() throws {
        let model = Short.model(
            Short.entity("P", [Short.attribute("a"), Short.attribute("b"), Short.attribute("c", .integer16)]),
            Short.entity("P2", parent: "P", unique: [["a"]]), Short.entity("P3", parent: "P"))
        let sample = try SampleStore(model)
        try sample.insert("P2", ["a": .string("x"), "b": .string("y"), "c": .integer(1)])
        try sample.insert("P3", ["a": .string("z")])
        func refusal(_ values: [String: AttributeValue]) -> String {
            expectStoreError(.uniqueConflict) { try sample.insert("P3", values) }?.message ?? ""
        }
        #expect(refusal(["a": .string("x")]).hasSuffix("cannot be saved: P2/1 has the same a"))
        let error = expectStoreError(.uniqueConflict) { _ = try sample.update("P3", 2, ["a": .string("x")]) }
        #expect(error?.message == "P3/2 cannot be saved: P2/1 has the same a")
        #expect(error?.objects.map { "\($0.object)" } == ["P3/2", "P2/1"])
        try sample.connection.execute("CREATE UNIQUE INDEX mine ON ZP (ZC, ZB)")
        #expect(
            refusal(["b": .string("y"), "c": .integer(1)]).hasSuffix(
                "P2/1 has the same c, b, by a unique index that the model does not have"))
        try sample.connection.execute("DROP INDEX mine; CREATE UNIQUE INDEX mine ON ZP (upper(ZB))")
        #expect(refusal(["b": .string("Y")]).contains("another P3 has the same index "))
    }

    @Test("join rows are added once, ordered, and removed with their object")
    func joins() throws {
        let sample = try SampleStore()
        let book = try sample.insert("Book", ["pages": .integer(1)])
        let tag = try sample.insert("Tag", ["name": .string("a")])
        guard case .manyToMany(let join)? = try sample.entity("Book").relationship("tags")?.storage else {
            throw CancellationError()
        }
        try sample.save { save in
            try save.insertJoin(join, own: book, other: tag)
            try save.insertJoin(join, own: book, other: tag)
            let (books, tags) = (try sample.entity("Book"), try sample.entity("Tag"))
            _ = try save.update(books, key: book, expecting: nil, columns: [], changed: ["tags"])
            _ = try save.update(tags, key: tag, expecting: nil, columns: [], changed: ["books"])
        }
        #expect(try sample.count(join.table) == 1)
        try sample.expectSound()
        try sample.save { save in
            try save.deleteAllJoins(join, own: book)
            _ = try save.delete(try sample.entity("Book"), key: book, expecting: nil)
        }
        #expect(try sample.count(join.table) == 0)
        try sample.expectSound()
    }

    @Test("a relationship that is its own inverse has both rows of a pair")
    func reflexive() throws {
        var person = EntityDescription(name: "Person")
        person.relationships = [
            RelationshipDescription(name: "friends", destination: "Person", inverse: "friends", maxCount: 0)
        ]
        let sample = try SampleStore(ModelDescription(entities: [person]))
        let keys = try (0..<2).map { _ in try sample.insert("Person") }
        guard case .manyToMany(let join)? = try sample.entity("Person").relationship("friends")?.storage else {
            throw CancellationError()
        }
        try sample.save { save in
            try save.insertJoin(join, own: keys[0], other: keys[1])
            for key in keys {
                _ = try save.update(
                    try sample.entity("Person"), key: key, expecting: nil, columns: [], changed: ["friends"])
            }
        }
        #expect(try sample.count("Z_1FRIENDS") == 2)
        try sample.expectSound()
    }

    @Test("a store with history that is opened with tracking off is refused")
    func trackingOff() throws {
        let sample = try SampleStore()
        try sample.insert("Shelf")
        expectStoreError(.readOnly) { _ = try StoreWriter(store: sample.store, isTracking: false) }
    }

    @Test("the first save of a store that never was tracked makes its history tables")
    func firstTracked() throws {
        let sample = try SampleStore(isTracked: false)
        #expect(try sample.scalar("SELECT 1 FROM sqlite_master WHERE name = 'ACHANGE'") == nil)
        try sample.insert("Book", ["pages": .integer(1)])
        #expect(try sample.count("ACHANGE") == 1)
        #expect(sample.store.historyForm == .interned(tombstones: 1))
        try sample.expectSound()
    }
}

/// The rows of every table, to compare.
struct Tables: Equatable {
    private var rows: [String: [[SQLValue]]] = [:]

    init(_ connection: Connection) throws {
        let names = try connection.query("SELECT name FROM sqlite_master WHERE type = 'table'").compactMap {
            $0[0].textValue
        }
        for name in names { rows[name] = try connection.query("SELECT * FROM \(name.sqlIdentifier)") }
    }
}
