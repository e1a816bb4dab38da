import Foundation
import SQLite

/// Who is in the way of what needs a store for itself.
extension StoreError {
    /// Somebody holds the store's lock.
    static func held(_ path: String) -> StoreError {
        let holder = StoreLock.holder(of: path).map { "process \($0)" } ?? "another process"
        return StoreError(
            .busy, "\(path) is held by \(holder), a Coexist daemon or command",
            way: "stop the daemon first (`coexistctl stop`), or let the command end")
    }

    /// Some other process has the store open; which, as far as it can be seen.
    static func openElsewhere(_ path: String) -> StoreError {
        // What needs the store for itself has its lock already: then another program has the file open.
        if StoreLock.isHeld(storePath: path), StoreLock.holder(of: path) != getpid() { return held(path) }
        let locks = LockTable.locks(databasePath: path) ?? []
        let ids = Set(locks.filter { !$0.isWaiting }.compactMap(\.processID)).subtracting([getpid()]).sorted()
        let names = ids.map { "\(LockHolder(processID: $0))" }
        return StoreError(
            .busy, "\(path) is open in \(names.isEmpty ? "another process" : names.joined(separator: " and "))",
            way: "end the programs that use it, and try again")
    }
}
