import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A new store in a folder of its own, with a writer.
final class SampleStore {
    let folder: TemporaryFolder
    let path: String
    let writer: StoreWriter

    init(_ model: ModelDescription = SampleModels.library, isTracked: Bool = true) throws {
        folder = try TemporaryFolder()
        path = folder.file("library.sqlite")
        let store = try StoreCreator.create(path, model: model, isTracked: isTracked)
        writer = try StoreWriter(store: store)
    }

    var store: Store { writer.store }
    var connection: Connection { writer.connection }

    static let authority = SaveAuthority(stack: .legacy, instanceName: "tests", epochs: [:])

    func entity(_ name: String) throws -> EntityLayout { try store.layout.entity(name) }

    /// Runs the body in a save, and gives the history transaction's number.
    @discardableResult
    func save(
        _ authority: SaveAuthority = SampleStore.authority,
        identity: TransactionIdentity = TransactionIdentity(author: "author", contextName: "context"),
        _ body: (SaveTransaction) throws -> Void
    ) throws -> Int64? {
        try writer.save(authority, identity, body).1
    }

    /// Inserts an object in a save of its own, with attribute values and to-one keys, and gives its key.
    @discardableResult
    func insert(
        _ name: String, _ values: [String: AttributeValue] = [:], keys: [String: Int64] = [:],
        _ authority: SaveAuthority = SampleStore.authority
    ) throws -> Int64 {
        var key: Int64 = 0
        try save(authority) { key = try Self.insert(name, values, keys: keys, in: $0) }
        return key
    }

    /// Inserts an object in a save that is running.
    @discardableResult
    static func insert(
        _ name: String, _ values: [String: AttributeValue] = [:], keys: [String: Int64] = [:], in save: SaveTransaction
    ) throws -> Int64 {
        let entity = try save.store.layout.entity(name)
        let key = try save.allocateKeys(1, for: entity)
        var row = [SQLValue](repeating: .null, count: entity.columns.count)
        for (name, value) in values {
            let leaf = try #require(entity.attribute(name)?.leaf)
            row[try #require(leaf.column)] = try save.encode(value, as: leaf)
        }
        for (name, value) in keys {
            guard case .toOne(let foreign)? = entity.relationship(name)?.storage else {
                throw StoreError(.unknownKey, "\(name) is no to-one")
            }
            row[foreign.column] = .integer(value)
            if let order = foreign.orderColumn { row[order] = .integer(2048 + 1024 * (key - 1)) }
            if let column = foreign.entityColumn {
                let destination = try #require(entity.relationship(name)?.description.destinationEntityName)
                row[column] = .integer(try save.store.layout.entity(destination).number)
            }
        }
        try save.insert(entity, key: key, values: row)
        return key
    }

    /// Sets attributes of an object in a save of its own.
    @discardableResult
    func update(_ name: String, _ key: Int64, _ values: [String: AttributeValue?], expecting: Int64? = nil) throws
        -> Bool
    {
        let entity = try entity(name)
        var isDone = false
        try save { save in
            let columns = try values.map { name, value in
                let leaf = try #require(entity.attribute(name)?.leaf)
                return (index: try #require(leaf.column), value: try save.encode(value, as: leaf))
            }
            isDone = try save.update(entity, key: key, expecting: expecting, columns: columns, changed: values.keys)
        }
        return isDone
    }

    func delete(_ name: String, _ key: Int64) throws {
        let entity = try entity(name)
        try save { save in _ = try save.delete(entity, key: key, expecting: nil) }
    }

    /// An attribute's value, read from the file.
    func value(_ name: String, _ key: Int64, _ attribute: String) throws -> AttributeValue? {
        let entity = try entity(name)
        let leaf = try #require(entity.attribute(attribute)?.leaf)
        let column = entity.columns[try #require(leaf.column)]
        let raw = try #require(
            try connection.scalar("SELECT \(column) FROM \(entity.table) WHERE Z_PK = ?", [.integer(key)]))
        return ValueCoding.decode(raw, as: leaf, external: store.externalData)
    }

    func scalar(_ sql: String) throws -> SQLValue? { try connection.scalar(sql) }
    func count(_ table: String) throws -> Int64? { try scalar("SELECT count(*) FROM \(table)")?.integerValue }

    /// What the verifier finds.
    func violations() throws -> [Violation] { try StoreVerifier.verify(connection, store: store) }

    /// Expects a store without violations, by our own verifier and by the independent one where it is at hand.
    func expectSound(_ location: SourceLocation = #_sourceLocation) throws {
        let found = try violations()
        #expect(found == [], sourceLocation: location)
        try Oracle.expectSound(path, location)
    }
}

/// Expects a store error of that code, and gives it.
@discardableResult
func expectStoreError(
    _ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) -> StoreError? {
    let error = #expect(throws: StoreError.self, sourceLocation: location) { try body() }
    #expect(error?.code == code, sourceLocation: location)
    return error
}
