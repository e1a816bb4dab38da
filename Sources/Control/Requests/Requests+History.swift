import Bridge
import Foundation
import StoreFormat
import Varlink

extension Requests {
    /// What a history request asks for.
    struct HistoryQuery: Sendable {
        var after: Int64
        var entity: String?
        var author: String?
        var limit: Int?
    }

    func historyQuery(_ parameters: JSONObject) throws -> HistoryQuery {
        var after: Int64 = 0
        if let text = parameters["after"]?.stringValue {
            after = try number(text)
            let store = store
            let number = after
            try bridge.read { try HistoryReader($0, store: store).checkReach(number) }
        } else {
            let store = store
            after = try bridge.read { try HistoryReader($0, store: store).floor() }
        }
        let entity = try parameters["entity"]?.stringValue.map { try store.layout.entity($0).name }
        return HistoryQuery(
            after: after, entity: entity, author: parameters["author"]?.stringValue,
            limit: parameters["limit"]?.intValue)
    }

    /// Sends transactions that a query asks for, oldest first, in bounded batches.
    /// - Parameter send: returns false to end.
    /// - Returns: the number of the last transaction that was looked at.
    @discardableResult
    func history(_ query: HistoryQuery, send: (JSONObject) -> Bool) throws -> Int64 {
        var last = query.after
        var left = query.limit ?? .max
        let store = store
        while left > 0 {
            let number = last
            let batch = try bridge.read {
                try HistoryReader($0, store: store).transactions(after: number, changeLimit: 2_000)
            }
            if batch.isEmpty { break }
            for transaction in batch {
                last = transaction.number
                guard left > 0, let shown = filtered(transaction, query) else { continue }
                left -= 1
                guard send(["transaction": try self.json(shown)]) else { return last }
            }
        }
        return last
    }

    private func filtered(_ transaction: HistoryTransaction, _ query: HistoryQuery) -> HistoryTransaction? {
        if let author = query.author, transaction.author != author { return nil }
        guard let entity = query.entity else { return transaction }
        let names = Set(store.layout[entity]?.treeNames ?? [entity])
        var shown = transaction
        shown.changes.removeAll { !names.contains($0.object.entity) }
        return shown.changes.isEmpty ? nil : shown
    }

    private func json(_ transaction: HistoryTransaction) throws -> JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        return [
            "token": .string(try token(transaction.number)),
            "timestamp": json.value(.date(transaction.timestamp)),
            "author": text(transaction.author),
            "context": text(transaction.contextName),
            "process": text(transaction.processID),
            "bundle": text(transaction.bundleID),
            "stack": text(transaction.writer?.stack.rawValue),
            "cause": try transaction.writer?.cause.map { .string(try token($0)) } ?? .null,
            "changes": .array(transaction.changes.map { change($0) }),
        ]
    }

    private func change(_ change: HistoryChange) -> JSON {
        let tombstone = change.tombstone.sorted { $0.key < $1.key }.map { ($0.key, json.value($0.value)) }
        return [
            "kind": .string("\(change.kind)"), "id": .string(change.object.uri(storeUUID: store.uuid)),
            "entity": .string(change.object.entity), "properties": .array(change.properties.map { .string($0) }),
            "tombstone": .object(JSONObject(tombstone)),
        ]
    }
}
