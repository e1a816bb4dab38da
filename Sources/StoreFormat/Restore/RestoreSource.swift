import Foundation
import SQLite

/// The backup of a restore: looked at, and found sound.
struct RestoreSource {
    let path: String
    let uuid: String
    /// Its newest transaction, and its timeline where it was adopted.
    let last: Int64
    let timeline: Int64?

    /// - Throws: `StoreError`.
    init(_ path: String, target: String) throws {
        self.path = path
        try StoreProbe.check(path)
        var (a, b) = (stat(), stat())
        if stat(path, &a) == 0, stat(target, &b) == 0, a.st_dev == b.st_dev, a.st_ino == b.st_ino {
            throw StoreError(.refused, "\(path) and \(target) are the same file", way: "give a backup of the store")
        }
        let store = try Store.open(path)
        uuid = store.uuid
        (last, timeline) = try StoreConnector.translating(path) {
            let connection = try StoreConnector.offlineReader(path)
            if let problem = try connection.integrityProblems(limit: 1).first {
                throw StoreError(
                    .damaged, "the backup \(path) is damaged: \(problem)",
                    way: "give another backup, or `coexistctl salvage` what can be read of it")
            }
            return (
                try HistoryReader(connection, store: store).last(),
                try CoexistenceTables.has("COEXIST_STATE", connection)
                    ? try CoexistenceState.read(connection).timeline : nil
            )
        }
    }

    /// Copies the backup, its log included, to a new file.
    func copy(to target: String, progress: (Int, Int) -> Void) throws {
        let connection = try StoreConnector.translating(path) { try StoreConnector.offlineReader(path) }
        try StoreBackup.translating(path, target) { try StoreBackup.copy(connection, to: target, progress) }
    }
}
