import Bridge
import Foundation
import SQLite
import StoreFormat
import StoreModel
import Varlink

/// What the interface's methods do with a bridge. Parameters have been checked against the interface's description.
struct Requests: Sendable {
    let bridge: StoreBridge
    /// When the daemon began to serve.
    let started = Date()

    var store: Store { bridge.store }
    var json: ObjectJSON { ObjectJSON(store: store, style: .control) }

    func token(_ number: Int64) throws -> String {
        let timeline = try bridge.read { connection in
            try CoexistenceTables.exist(connection) ? try CoexistenceState.read(connection).timeline : 1
        }
        return HistoryToken(storeUUID: store.uuid, timeline: timeline, transaction: number).description
    }

    /// The transaction number of a token's text.
    /// - Throws: `StoreError` `OtherStore` or `TokenExpired`.
    func number(_ text: String) throws -> Int64 {
        let timeline = try bridge.read { connection in
            try CoexistenceTables.exist(connection) ? try CoexistenceState.read(connection).timeline : 1
        }
        return try HistoryToken(parsing: text, storeUUID: store.uuid, timeline: timeline).transaction
    }

    /// - Throws: `StoreError` `Refused` for a name that is no stack.
    func stack(_ json: JSON?) throws -> StackName? {
        guard let text = json?.stringValue else { return nil }
        guard let stack = StackName(rawValue: text) else {
            throw StoreError(
                .refused, "there is no stack \(text)", way: "it is legacy, of Core Data's API, or model, of SwiftData's"
            )
        }
        return stack
    }

    // MARK: Reading

    func query(_ parameters: JSONObject) throws -> ObjectQuery {
        let entity = try store.layout.entity(parameters["entity"]?.stringValue ?? "")
        var query = ObjectQuery(entity: entity.name)
        if let text = parameters["where"]?.stringValue, !text.isEmpty {
            query.predicate = try predicate(text)
        }
        query.sort = try (parameters["sort"]?.arrayValue ?? []).compactMap(\.stringValue).map(sortKey)
        query.limit = parameters["limit"]?.intValue
        query.offset = parameters["offset"]?.intValue ?? 0
        guard query.limit ?? 0 >= 0, query.offset >= 0 else {
            throw StoreError(.refused, "limit and offset count from 0", way: "give numbers that are not negative")
        }
        return query
    }

    private func predicate(_ text: String) throws -> PredicateNode {
        do { return try PredicateNode.parse(text) } catch {
            let bare = /(?:^|[^'"\w-])([0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})(?:$|[^'"\w-])/
            guard let uuid = text.firstMatch(of: bare)?.1 else { throw error }
            throw StoreError(.badPredicate, "\(error)", way: "write a UUID in quotes: '\(uuid)'")
        }
    }

    private func sortKey(_ text: String) throws -> ObjectQuery.SortKey {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        let order = parts.count > 1 ? parts[1].lowercased() : "asc"
        guard parts.count <= 2, let key = parts.first, !key.isEmpty, ["asc", "desc"].contains(order) else {
            throw StoreError(.unknownKey, "\"\(text)\" is no sort key", way: "write a key, or key:desc")
        }
        return ObjectQuery.SortKey(key, isAscending: order == "asc")
    }

    func count(_ parameters: JSONObject) throws -> JSONObject {
        let stack = try stack(parameters["stack"]) ?? .legacy
        return ["count": JSON(try bridge.instance(stack).count(of: try query(parameters)))]
    }

    func get(_ parameters: JSONObject) throws -> JSONObject {
        let stack = try stack(parameters["stack"]) ?? .legacy
        let isFresh = parameters["fresh"]?.boolValue ?? false
        let objects = try (parameters["objects"]?.arrayValue ?? []).compactMap(\.stringValue).map { text -> JSON in
            json.object(try object(try reference(text), stack, isFresh: isFresh))
        }
        return ["objects": .array(objects)]
    }

    func reference(_ text: String) throws -> ObjectReference {
        let reference = try ObjectReference(parsing: text, storeUUID: store.uuid)
        _ = try store.layout.entity(reference.entity)
        return reference
    }

    private func object(_ reference: ObjectReference, _ stack: StackName, isFresh: Bool) throws -> ObjectRecord {
        guard let record = try bridge.instance(stack).object(reference, isFresh: isFresh) else {
            throw StoreError(
                .unknownObject, "there is no object \(reference)",
                way: "`coexistctl fetch \(reference.entity)` lists them")
        }
        return record
    }

    // MARK: Writing

    /// The stack that a request writes through: the one it names, else the owner.
    private func writer(_ parameters: JSONObject, _ entity: String) throws -> any StackInstance {
        try bridge.checkWritable()
        let named = try stack(parameters["stack"])
        return bridge.instance(try named ?? bridge.unit(of: entity).owner)
    }

    private func save(
        _ operations: [ObjectBatch.Operation], _ parameters: JSONObject, entity: String
    ) throws -> (SaveResult, any StackInstance) {
        let instance = try writer(parameters, entity)
        let batch = ObjectBatch(
            operations, author: parameters["author"]?.stringValue, contextName: "org.coexistd.control")
        return (try instance.save(batch), instance)
    }

    /// The token of what was saved; null where nothing changed, and so nothing was.
    private func written(_ result: SaveResult) throws -> JSON {
        try result.transaction.map { .string(try token($0)) } ?? .null
    }

    func insert(_ parameters: JSONObject) throws -> JSONObject {
        let entity = try store.layout.entity(parameters["entity"]?.stringValue ?? "")
        guard !entity.isAbstract else {
            throw StoreError(
                .validationFailed, "\(entity.name) is abstract",
                way: "insert one of \(entity.treeNames.dropFirst().joined(separator: ", "))")
        }
        let values = try ValueInput(store: store).values(parameters["values"]?.objectValue ?? [:], of: entity)
        let (result, instance) = try save(
            [.insert(entity: entity.name, name: "new", values: values)], parameters, entity: entity.name)
        guard let reference = result.objects["new"] else {
            throw StoreError(.damaged, "the new object has no identity", way: "see the daemon's log")
        }
        return [
            "object": json.object(try object(reference, instance.stack, isFresh: true)), "token": try written(result),
        ]
    }

    func update(_ parameters: JSONObject) throws -> JSONObject {
        let reference = try reference(parameters["object"]?.stringValue ?? "")
        let entity = try store.layout.entity(reference.entity)
        let values = try ValueInput(store: store).values(parameters["values"]?.objectValue ?? [:], of: entity)
        let (result, instance) = try save(
            [.update(reference, values: values, expecting: parameters["expect"]?.int64Value)], parameters,
            entity: entity.name)
        return [
            "object": json.object(try object(reference, instance.stack, isFresh: true)), "token": try written(result),
        ]
    }

    func delete(_ parameters: JSONObject) throws -> JSONObject {
        let references = try (parameters["objects"]?.arrayValue ?? []).compactMap(\.stringValue).map(reference)
        guard let first = references.first else {
            throw StoreError(.refused, "there is nothing to delete", way: "name at least one object")
        }
        let (result, _) = try save(references.map { .delete($0, expecting: nil) }, parameters, entity: first.entity)
        let counts = try result.transaction.map { number in
            try bridge.read { try HistoryReader($0, store: store).counts(of: number) }
        }
        func json(_ kind: HistoryChange.Kind) -> JSON {
            let entities = (counts?[kind] ?? [:]).sorted { $0.key < $1.key }
            return .object(JSONObject(entities.map { ($0.key, JSON(Int($0.value))) }))
        }
        return ["token": try written(result), "deleted": json(.delete), "nullified": json(.update)]
    }
}
