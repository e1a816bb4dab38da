import CSQLite

extension Connection {
    /// How a transaction begins.
    public enum TransactionKind: String, Sendable {
        /// Takes the write lock at once. The only kind to write in: a deferred one that upgrades does not wait.
        case immediate = "IMMEDIATE"
        /// Reads one snapshot.
        case deferred = "DEFERRED"
        case exclusive = "EXCLUSIVE"
    }

    /// Runs the body in a transaction: commits at its end, rolls back if it or the commit throws.
    public func transaction<T>(_ kind: TransactionKind, _ body: () throws -> T) throws -> T {
        try execute("BEGIN \(kind.rawValue)")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Rolls back an open transaction, if there is one; a disk error can have done it already.
    public func rollback() {
        guard isInTransaction else { return }
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Runs the body in a savepoint inside a transaction.
    public func savepoint<T>(_ name: String, _ body: () throws -> T) throws -> T {
        try execute("SAVEPOINT \(name)")
        do {
            let result = try body()
            try execute("RELEASE \(name)")
            return result
        } catch {
            sqlite3_exec(handle, "ROLLBACK TO \(name); RELEASE \(name)", nil, nil, nil)
            throw error
        }
    }
}
