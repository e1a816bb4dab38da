import Foundation
import SQLite
import StoreFormat

extension LegacyInstance {
    /// The number of the newest transaction.
    func lastTransaction() throws -> Int64 {
        try read { try HistoryReader($0, store: store).last() }
    }

    private func timeline() throws -> Int64 {
        try read { try CoexistenceTables.exist($0) ? CoexistenceState.read($0).timeline : 1 }
    }

    /// The token of a transaction of this store.
    func historyToken(after number: Int64) throws -> HistoryToken {
        HistoryToken(storeUUID: store.uuid, timeline: try timeline(), transaction: number)
    }

    func execute(_ request: NSPersistentHistoryChangeRequest) throws -> NSPersistentHistoryResult {
        if request.isDeletion {
            try purge(request.place)
            return NSPersistentHistoryResult(NSNumber(value: true), .statusOnly)
        }
        let fetch = try request.fetchRequest.map { try HistoryFetch($0) }
        let timeline = try timeline()
        let transactions = try read { connection in
            try connection.transaction(.deferred) {
                let reader = HistoryReader(connection, store: store)
                let floor = try reader.floor()
                switch request.place {
                case .token(nil): return try reader.transactions(after: floor)
                case .token(let token?): return try reader.transactions(after: try number(token, timeline))
                case .date(let date): return try reader.transactions(after: floor).filter { $0.timestamp > date }
                }
            }
        }
        let withChanges = request.resultType != .transactionsOnly
        var result = transactions.map {
            let token = HistoryToken(storeUUID: store.uuid, timeline: timeline, transaction: $0.number)
            return NSPersistentHistoryTransaction($0, token, schema, withChanges: withChanges || fetch != nil)
        }
        if let fetch { result = fetch.apply(result) }
        if !withChanges { result = result.map { NSPersistentHistoryTransaction($0, changes: nil) } }
        let changes = result.flatMap { $0.changes ?? [] }
        switch request.resultType {
        case .transactionsAndChanges, .transactionsOnly: return NSPersistentHistoryResult(result, request.resultType)
        case .changesOnly: return NSPersistentHistoryResult(changes, request.resultType)
        case .objectIDs: return NSPersistentHistoryResult(changes.map(\.changedObjectID), request.resultType)
        case .count: return NSPersistentHistoryResult(NSNumber(value: changes.count), request.resultType)
        case .statusOnly: return NSPersistentHistoryResult(NSNumber(value: !result.isEmpty), request.resultType)
        }
    }

    private func number(_ token: NSPersistentHistoryToken, _ timeline: Int64) throws -> Int64 {
        try HistoryToken(parsing: token.token.description, storeUUID: store.uuid, timeline: timeline).transaction
    }

    /// Removes the oldest transactions: never one that a durable consumer, or this instance, has not read.
    private func purge(_ place: NSPersistentHistoryChangeRequest.Place) throws {
        let bound: HistoryPurge.Bound
        switch place {
        case .token(nil): return
        case .token(let token?): bound = .through(try number(token, timeline()))
        case .date(let date): bound = .before(date)
        }
        // Where nobody shares the store, this instance's cache does not depend on history.
        let position = try read { try CoexistenceTables.exist($0) } ? position : .max
        try writer.use { writer in
            try StoreConnector.translating(store.path) {
                let purge = HistoryPurge(writer.connection, store: store)
                let last = try purge.plan(bound, notPast: position).last
                while try purge.step(through: last) {}
            }
        }
    }
}

extension NSManagedObjectContext {
    /// Executes a request for history, or a batch request.
    /// - Throws: `StoreError`: `TokenExpired` for history that has been purged, `OtherStore` for a token of another store,
    ///   `UnknownKey`, `TypeMismatch`, `BadPredicate` or `Refused` for a fetch request that history cannot answer; for a
    ///   batch what fetching and saving throw, and then nothing is written.
    @discardableResult
    public func execute(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
        if let history = request as? NSPersistentHistoryChangeRequest { return try instance.execute(history) }
        if let batch = request as? NSBatchDeleteRequest { return try execute(batch) }
        if let batch = request as? NSBatchUpdateRequest { return try execute(batch) }
        if let batch = request as? NSBatchInsertRequest { return try execute(batch) }
        throw StoreError(.refused, "\(type(of: request)) cannot be executed", way: "fetch requests go to fetch(_:)")
    }
}
