import StoreFormat
import StoreModel

/// What a fetch request of transactions or changes leaves of history.
struct HistoryFetch {
    /// What is asked for.
    enum Subject {
        case transactions
        case changes
    }

    private let subject: Subject
    private let predicate: NSPredicate?
    private let offset: Int
    private let limit: Int

    /// - Throws: `StoreError`: `Refused` for a fetch of something else, or with an order: history has one. `UnknownKey`,
    ///   `TypeMismatch` or `BadPredicate` for its predicate.
    init(_ request: NSPersistentStoreRequest) throws {
        switch request {
        case let request as NSFetchRequest<NSPersistentHistoryTransaction>: try self.init(.transactions, request)
        case let request as NSFetchRequest<NSPersistentHistoryChange>: try self.init(.changes, request)
        default:
            throw StoreError(
                .refused, "\(type(of: request)) fetches no history",
                way: "take NSPersistentHistoryTransaction.fetchRequest or NSPersistentHistoryChange.fetchRequest")
        }
    }

    private init<R>(_ subject: Subject, _ request: NSFetchRequest<R>) throws {
        guard request.sortDescriptors?.isEmpty ?? true else {
            throw StoreError(
                .refused, "history comes in the order in which it was written, and takes no sort descriptors",
                way: "leave them out, and sort the result")
        }
        guard request.fetchLimit >= 0, request.fetchOffset >= 0 else {
            throw StoreError(
                .refused, "limit and offset count from 0", way: "give numbers that are not negative")
        }
        self.subject = subject
        predicate = request.predicate
        offset = request.fetchOffset
        limit = request.fetchLimit
        guard let predicate, predicate.block == nil else { return }
        if let error = predicate.error { throw error }
        try HistoryKeys(subject).check(predicate.node)
    }

    /// The transactions that fit; of a fetch of changes, those with changes that fit, and only these.
    func apply(_ transactions: [NSPersistentHistoryTransaction]) -> [NSPersistentHistoryTransaction] {
        switch subject {
        case .transactions: return Array(page(transactions.filter { fits($0) }))
        case .changes:
            let all = transactions.flatMap { transaction in
                (transaction.changes ?? []).filter { fits($0) }.map { (transaction, $0) }
            }
            var kept: [(NSPersistentHistoryTransaction, [NSPersistentHistoryChange])] = []
            for (transaction, change) in page(all) {
                if let last = kept.last, last.0 === transaction {
                    kept[kept.count - 1].1.append(change)
                } else {
                    kept.append((transaction, [change]))
                }
            }
            return kept.map { NSPersistentHistoryTransaction($0, changes: $1) }
        }
    }

    private func page<T>(_ found: [T]) -> ArraySlice<T> {
        let rest = found.dropFirst(offset)
        return limit == 0 ? rest : rest.prefix(limit)
    }

    private func fits(_ object: NSObject) -> Bool {
        predicate?.evaluate(with: object) ?? true
    }
}

/// The keys that a predicate about history may name, and what they hold.
private struct HistoryKeys {
    private enum Kind: String {
        case text
        case number
        case date
        case object
    }

    private static let transaction: [String: Kind] = [
        "author": .text, "contextName": .text, "processID": .text, "bundleID": .text, "storeID": .text,
        "transactionNumber": .number, "timestamp": .date,
    ]
    private static let change: [String: Kind] = ["changeType": .number, "changedObjectID": .object]

    private let keys: [String: Kind]

    init(_ subject: HistoryFetch.Subject) {
        keys =
            switch subject {
            case .transactions: Self.transaction
            case .changes:
                Self.change.merging(
                    Self.transaction.map { ("transaction.\($0)", $1) }, uniquingKeysWith: { first, _ in first })
            }
    }

    func check(_ node: PredicateNode) throws {
        switch node {
        case .constant: break
        case .not(let inner): try check(inner)
        case .and(let parts), .or(let parts): for part in parts { try check(part) }
        case .comparison(let comparison):
            let (left, right) = (try kind(comparison.left), try kind(comparison.right))
            if let left { try check(comparison.right, against: left) }
            if let right { try check(comparison.left, against: right) }
        }
    }

    /// What an expression holds; nil for one that is no key.
    private func kind(_ expression: ExpressionNode) throws -> Kind? {
        switch expression {
        case .keyPath(let parts):
            let name = parts.joined(separator: ".")
            if let kind = keys[name] { return kind }
            let nearest = NearestName.of(name, among: Array(keys.keys)).map { "did you mean \($0)? " } ?? ""
            throw StoreError(
                .unknownKey, "history has no key \(name)",
                way: nearest + "it has \(keys.keys.sorted().joined(separator: ", "))")
        case .constant, .objectURI, .aggregate: return nil
        default:
            throw StoreError(
                .badPredicate, "a predicate about history compares keys with constants",
                way: "leave the rest out, and filter the result")
        }
    }

    private func check(_ expression: ExpressionNode, against kind: Kind) throws {
        switch (expression, kind) {
        case (.aggregate(let elements), _): for element in elements { try check(element, against: kind) }
        case (.constant(.array(let values)), _): for value in values { try check(.constant(value), against: kind) }
        case (.constant(.null), _), (.constant(.string), .text), (.constant(.uuid), .text), (.constant(.date), .date),
            (.constant(.integer), .number), (.constant(.double), .number), (.constant(.bool), .number),
            (.constant(.decimal), .number), (.objectURI, .object), (.keyPath, _):
            break
        default:
            throw StoreError(
                .typeMismatch, "a key of history that holds a \(kind.rawValue) is compared with something else",
                way: "give a \(kind.rawValue)")
        }
    }
}

extension NSPersistentHistoryTransaction {
    /// The values that a predicate can ask for.
    var predicateValues: [String: Any] {
        func text(_ value: String?) -> MemoryValue { MemoryValue(value) }
        return [
            "author": text(author), "contextName": text(contextName), "processID": text(processID),
            "bundleID": text(bundleID), "storeID": text(storeID),
            "transactionNumber": MemoryValue.scalar(.integer(transactionNumber), leaf: nil),
            "timestamp": MemoryValue.scalar(.real(timestamp.timeIntervalSinceReferenceDate), leaf: nil),
        ]
    }
}

extension NSPersistentHistoryChange {
    /// The values that a predicate can ask for.
    var predicateValues: [String: Any] {
        [
            "changeType": MemoryValue.scalar(.integer(Int64(changeType.rawValue)), leaf: nil),
            "changedObjectID": MemoryValue(changedObjectID),
            "transaction": transaction.map { MemoryValue.dictionary($0.predicateValues) } ?? .null,
        ]
    }
}
