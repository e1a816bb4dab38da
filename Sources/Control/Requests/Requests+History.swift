import Bridge
import Foundation
import StoreFormat
import Varlink

extension Requests {
    /// What a history request asks for.
    struct HistoryQuery: Sendable {
        var after: Int64
        var entity: String?
        var author: AuthorFilter?
        var limit: Int?

        /// What is left of the query when some of it was sent.
        func after(_ place: HistoryPlace, sent: Int) -> HistoryQuery {
            var rest = self
            rest.after = place.last
            rest.limit = limit.map { $0 - sent }
            return rest
        }

        /// Whether some transactions are left out.
        var isFiltered: Bool { entity != nil || author != nil }
    }

    /// Which authors' transactions are wanted: `NAME` is that author's, `!NAME` everybody else's, those without an author
    /// included. Behind a backslash a name may begin with either sign.
    struct AuthorFilter: Sendable {
        private let name: String
        private let isExcluded: Bool

        init(_ text: String) {
            isExcluded = text.hasPrefix("!")
            let rest = isExcluded ? text.dropFirst() : text[...]
            name = String(rest.hasPrefix("\\") ? rest.dropFirst() : rest)
        }

        func lets(_ author: String?) -> Bool { (author == name) != isExcluded }
    }

    /// How far a history request has got.
    struct HistoryPlace {
        /// The last transaction that was looked at: the next request goes on after it.
        var last: Int64
        /// Whether the query is answered: there was nothing more, or its limit is reached.
        var isEnd: Bool
    }

    func historyQuery(_ parameters: JSONObject) throws -> HistoryQuery {
        var after: Int64 = 0
        if let text = parameters["after"]?.stringValue {
            after = try number(text)
            let store = store
            let number = after
            try bridge.read { connection in
                let reader = HistoryReader(connection, store: store)
                try reader.checkReach(number)
                try reader.checkReached(number)
            }
        } else {
            let store = store
            after = try bridge.read { try HistoryReader($0, store: store).floor() }
        }
        let entity = try parameters["entity"]?.stringValue.map { try store.layout.entity($0).name }
        let limit = parameters["limit"]?.intValue
        guard limit ?? 0 >= 0 else {
            throw StoreError(.refused, "a limit counts from 0", way: "give a number that is not negative")
        }
        var query = HistoryQuery(
            after: after, entity: entity, author: parameters["author"]?.stringValue.map { AuthorFilter($0) },
            limit: limit)
        if let last = parameters["last"]?.intValue {
            guard last >= 0 else {
                throw StoreError(.refused, "last counts from 0", way: "give a number that is not negative")
            }
            query.after = try place(beforeLast: last, of: query)
        }
        return query
    }

    /// Where the newest so many of what a query asks for begin. Looks from the end, ever further back, until they are found.
    private func place(beforeLast count: Int, of query: HistoryQuery) throws -> Int64 {
        let newest = try bridge.lastTransaction()
        guard count > 0, newest > query.after else { return max(newest, query.after) }
        let all = newest - query.after
        var window = min(Int64(count), all)
        while true {
            var numbers: [Int64] = []
            var part = query
            (part.after, part.limit) = (newest - window, nil)
            try scan(part) { transaction in
                numbers.append(transaction.number)
                return true
            }
            if numbers.count >= count || window == all { return numbers.suffix(count).first.map { $0 &- 1 } ?? newest }
            window = window > all / 4 ? all : window * 4
        }
    }

    /// Sends transactions that a query asks for, oldest first, in bounded batches.
    /// - Parameters:
    ///   - atMost: how many to look at in one read, where all are wanted.
    ///   - send: takes a transaction, and returns false to end after it.
    @discardableResult
    func history(
        _ query: HistoryQuery, atMost: Int = .max, send: (JSONObject) -> Bool
    ) throws -> HistoryPlace {
        try scan(query, atMost: atMost) { send(["transaction": try self.json($0)]) }
    }

    @discardableResult
    private func scan(
        _ query: HistoryQuery, atMost: Int = .max, take: (HistoryTransaction) throws -> Bool
    ) throws -> HistoryPlace {
        var place = HistoryPlace(last: query.after, isEnd: false)
        var left = query.limit ?? .max
        let store = store
        while left > 0 {
            let number = place.last
            let limit = query.isFiltered ? Int.max : min(left, atMost)
            let batch = try bridge.read {
                try HistoryReader($0, store: store).transactions(after: number, limit: limit, changeLimit: 2_000)
            }
            if batch.isEmpty { break }
            for transaction in batch {
                // What was not sent must not count as looked at.
                guard left > 0 else { break }
                place.last = transaction.number
                guard let shown = filtered(transaction, query) else { continue }
                left -= 1
                guard try take(shown) else {
                    place.isEnd = left == 0
                    return place
                }
            }
        }
        place.isEnd = true
        return place
    }

    /// How many transactions are sent before it is asked whether their client has read them.
    static let historyPage = 100
    /// At how many changes no more are.
    static let historyPageChanges = 1_000

    /// The next transactions of a query, as many as are sent at once.
    func historyPage(_ query: HistoryQuery) throws -> (transactions: [JSONObject], place: HistoryPlace) {
        var transactions: [JSONObject] = []
        var changes = 0
        let place = try history(query, atMost: Self.historyPage) { reply in
            transactions.append(reply)
            changes += reply["transaction"]?["changes"]?.arrayValue?.count ?? 0
            return transactions.count < Self.historyPage && changes < Self.historyPageChanges
        }
        return (transactions, place)
    }

    /// Transactions that a query asks for, a page at a time.
    func historyPages(_ query: HistoryQuery) throws -> PacedReplies.Batch {
        let (transactions, place) = try historyPage(query)
        guard !place.isEnd else { return PacedReplies.Batch(replies: transactions) }
        let rest = query.after(place, sent: transactions.count)
        return PacedReplies.Batch(replies: transactions, next: { try historyPages(rest) })
    }

    private func filtered(_ transaction: HistoryTransaction, _ query: HistoryQuery) -> HistoryTransaction? {
        if let author = query.author, !author.lets(transaction.author) { return nil }
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
