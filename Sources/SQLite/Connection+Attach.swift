import CSQLite
import Foundation

extension Connection {
    /// Attaches another database file, under a name that statements put before its tables' names.
    /// - Parameters:
    ///   - isExclusive: whether nobody else may read or write the file until this connection closes. Waits for others
    ///     as long as `busyTimeout` says; a process that has a WAL database open is in the way for as long as it has.
    /// - Throws: `SQLiteError`: busy where another connection has the file.
    public func attach(_ path: String, as name: String, isExclusive: Bool = false) throws {
        // Locking modes that are set for no database in particular hold for those that are attached later.
        if isExclusive { try execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA main.locking_mode=NORMAL") }
        let deadline = DispatchTime.now().uptimeNanoseconds + UInt64(max(0, busyTimeout)) * 1_000_000
        while true {
            do {
                let (lease, _) = try RawFile.Lease.take(path) {
                    try execute("ATTACH \(Self.uri(path).sqlLiteral) AS \(name.sqlIdentifier)")
                }
                attached.append(lease)
                break
            } catch let error as SQLiteError where error.isBusy && DispatchTime.now().uptimeNanoseconds < deadline {
                // The exclusive lock of a WAL database is asked for without SQLite's busy handler.
                usleep(2_000)
            }
        }
        // A rollback journal's lock is taken by the first transaction, and kept.
        if isExclusive { try execute("BEGIN EXCLUSIVE; COMMIT") }
    }
}
