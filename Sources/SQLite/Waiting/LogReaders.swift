import Foundation

/// Who reads a database in WAL mode just now, and so can keep the log from being moved into it.
public enum LogReaders {
    /// The processes that are inside a read transaction, named as in a busy error; those of other programs alone where there
    /// are any.
    /// - Returns: nil where nobody can be seen.
    public static func description(databasePath: String) -> String? {
        let locks = LockTable.locks(databasePath: databasePath) ?? []
        let readers = Set(locks.filter { $0.place == "read" && !$0.isWaiting && !$0.isExclusive }.map(\.processID))
        let others = readers.filter { $0 != getpid() }
        let names = (others.isEmpty ? readers : others).map { LockHolder(processID: $0 ?? 0).description }
        return names.isEmpty ? nil : names.sorted().joined(separator: "; ")
    }
}
