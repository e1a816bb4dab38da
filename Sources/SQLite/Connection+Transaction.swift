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
        try begin(kind)
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollback()
            throw error
        }
    }

    /// Begins a transaction. One that writes waits for the lock in the queue, where the connection has one, until
    /// `busyTimeout`.
    /// - Throws: `SQLiteError`; one that is busy comes at the timeout and names the holder, where it can be found.
    public func begin(_ kind: TransactionKind) throws {
        guard kind != .deferred else { return try execute("BEGIN DEFERRED") }
        try waitForWriting { try execute("BEGIN \(kind.rawValue)") }
    }

    /// Commits the open transaction, and gives up the place in the queue.
    /// - Parameter afterwards: runs when the transaction is committed and before the next writer's turn.
    /// - Throws: `SQLiteError`; of one that is busy, since with a rollback journal readers are in the way of a commit, the
    ///   reader is named, where it can be found.
    public func commit(_ afterwards: () -> Void = {}) throws {
        do {
            try execute("COMMIT")
        } catch var error as SQLiteError where error.isBusy {
            error.holder = SQLiteLocks.reader(databasePath: path).map { LockHolder(readerID: $0) }
            throw error
        }
        afterwards()
        leaveQueue()
    }

    /// Rolls back an open transaction, if there is one; a disk error can have done it already.
    public func rollback() {
        if isInTransaction { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
        leaveQueue()
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
