import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// An entity's number is that of its store, whatever other entities there are.
@Suite
struct EntityNumberTests {
    /// The library, with entities that sort before and between its own.
    static let models: [ModelDescription] = [[], ["Aisle"], ["Aisle", "Desk", "Room", "Zone"]].map { names in
        ModelDescription(entities: SampleModels.library.entities + names.map { EntityDescription(name: $0) })
    }

    private static func library(_ model: ModelDescription) throws -> SampleStore {
        let sample = try SampleStore(model)
        try sample.save { save in
            let author = try SampleStore.insert("Author", ["name": .string("A")], in: save)
            for _ in 1...3 {
                try SampleStore.insert("Book", ["pages": .integer(1)], keys: ["author": author], in: save)
            }
            for name in ["x", "y"] { try SampleStore.insert("Tag", ["name": .string(name)], in: save) }
            guard case .manyToMany(let join)? = try save.store.layout.entity("Book").relationship("tags")?.storage
            else {
                throw CancellationError()
            }
            for (book, tag) in [(1, 1), (1, 2), (3, 2)] {
                try save.insertJoin(join, own: Int64(book), other: Int64(tag))
            }
        }
        return sample
    }

    /// The pairs of a many-to-many by the names of the model alone.
    private static func pairs(_ sample: SampleStore, _ entity: String, _ name: String) throws -> [[SQLValue]] {
        guard case .manyToMany(let join)? = try sample.entity(entity).relationship(name)?.storage else {
            throw CancellationError()
        }
        return try sample.connection.query(
            "SELECT \(join.ownColumn), \(join.otherColumn) FROM \(join.table) ORDER BY 1, 2")
    }

    @Test("the members of a many-to-many are the same in stores that number its entities differently")
    func membership() throws {
        let samples = try Self.models.map { try Self.library($0) }
        let numbers = try samples.map { try $0.entity("Book").number }
        #expect(numbers == [1, 2, 2])
        #expect(try samples.map { try $0.entity("Tag").number } == [7, 8, 10])
        for sample in samples {
            #expect(try Self.pairs(sample, "Book", "tags") == [[1, 1], [1, 2], [3, 2]])
            #expect(try Self.pairs(sample, "Tag", "books") == [[1, 1], [2, 1], [2, 3]])
            let read = try HistoryReader(sample.connection, store: sample.store).transactions(after: 0)
            #expect(read.first?.changes.map(\.object.entity) == ["Author", "Book", "Book", "Book", "Tag", "Tag"])
            try sample.expectSound()
        }
    }

    @Test("a model whose entities the store numbers otherwise is read by the store's numbers")
    func otherNumbers() throws {
        let sample = try Self.library(Self.models[0])
        // As after a migration that added entities: numbers are no longer those of a new store.
        try sample.connection.execute(
            """
            UPDATE Z_PRIMARYKEY SET Z_ENT = 20 WHERE Z_NAME = 'Shelf';
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) VALUES (1, 20, 1); UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 20
            """)
        let store = try Store.open(sample.path)
        #expect(try store.layout.entity("Shelf").number == 20)
        #expect(store.layout[number: 20]?.name == "Shelf")
        #expect(try StoreVerifier.verify(sample.connection, store: store) == [])
    }
}
