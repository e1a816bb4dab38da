import Foundation
import SQLite

/// Where a restore puts the backup, with the store that is there now, if one is.
struct RestorePlace {
    let path: String
    private let exists: Bool
    /// What is known of the store that is there; nil where it cannot be read.
    private var known: Known?
    private var unreadable: String?

    private struct Known {
        var uuid: String
        var last: Int64
        var timeline: Int64?
    }

    /// - Throws: `StoreError` `Busy` where a program has the store open.
    init(_ path: String) throws {
        self.path = path
        exists = FileManager.default.fileExists(atPath: path)
        guard exists else { return }
        if QuietStore.isOpenElsewhere(path) {
            throw StoreError.openElsewhere(path)
        }
        do {
            known = try Self.read(path)
        } catch let error as StoreError {
            unreadable = error.message
        }
    }

    private static func read(_ path: String) throws -> Known {
        let metadata = try StoreMetadata.read(path: path)
        return try StoreConnector.translating(path) {
            let connection = try StoreConnector.offlineReader(path)
            let counter = try connection.scalar(
                "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(Catalogue.transactionNumber)])
            return Known(
                uuid: metadata.uuid, last: counter?.integerValue ?? 0,
                timeline: try CoexistenceTables.has("COEXIST_STATE", connection)
                    ? try CoexistenceState.read(connection).timeline : nil)
        }
    }

    /// - Throws: `StoreError` `OtherStore`.
    func check(_ source: RestoreSource) throws {
        guard let known, known.uuid != source.uuid else { return }
        throw StoreError(
            .otherStore, "\(source.path) is a backup of the store \(source.uuid), but \(path) is \(known.uuid)",
            way: "move \(path) away first, or restore to another path")
    }

    func warnings(against source: RestoreSource) -> [String] {
        guard exists else { return [] }
        guard let known else {
            return ["the store in place cannot be read, so what the backup lacks is not known: \(unreadable ?? "")"]
        }
        guard known.last > source.last else { return [] }
        let count = known.last - source.last
        return [
            "the backup ends at transaction \(source.last), the store in place at \(known.last): "
                + "\(count) newer transaction\(count == 1 ? " is" : "s are") only in the store that was replaced"
        ]
    }

    /// Begins a new life of the store in the staged file: tokens of the old one must not be taken for its own, and no
    /// number is handed out a second time under one timeline.
    /// - Returns: the new timeline; nil for a store that is not adopted.
    func begin(_ staged: String, _ source: RestoreSource) throws -> Int64? {
        let connection = try StoreConnector.connect(staged, .writer(.full))
        let timeline = try connection.transaction(.immediate) { () -> Int64? in
            try keepNumbers(connection)
            guard let old = source.timeline else { return nil }
            // Of a store that is gone or cannot be read it is not known how far its timelines had got.
            let unknown = CoexistenceState.freshTimeline
            let known = exists ? self.known?.timeline ?? unknown : unknown
            let new = try FileCounter.advance(
                max(old, known), "timelines", place: "TIMELINE in COEXIST_STATE")
            try connection.run(
                "UPDATE COEXIST_STATE SET TIMELINE = ?1, COMMITS = COMMITS + 1", [.integer(new)])
            // Numbers that were handed out in the old life are missing from the new one's history.
            if let last = self.known?.last, last > source.last {
                try SkippedNumbers.record(source.last + 1...last, connection)
            }
            // Their acknowledgements are of the old timeline.
            try connection.execute("UPDATE COEXIST_CONSUMER SET STATE = 'expired'")
            return new
        }
        _ = try connection.checkpoint(.truncate)
        return timeline
    }

    /// Numbers go on where the store in place had got to: one that is not adopted has no timeline, and one that is may be
    /// released and adopted again.
    private func keepNumbers(_ connection: Connection) throws {
        guard let last = known?.last, last > 0, try HistoryForm(connection).isTracked else { return }
        try connection.run(
            """
            INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (?, 'TRANSACTION', 0, ?)
            ON CONFLICT (Z_ENT) DO UPDATE SET Z_MAX = max(Z_MAX, excluded.Z_MAX)
            """, [.integer(Catalogue.transactionNumber), .integer(last)])
    }

    /// The external files that the store in place has; none where it cannot be read.
    func externalNames() -> Set<String> {
        known == nil ? [] : (try? ExternalReferences.names(ofStoreAt: path)) ?? []
    }

    /// What there is to say of the old store's log, after the exchange.
    func logWarnings(replaced: String?) -> [String] {
        guard let replaced, FileManager.default.fileExists(atPath: replaced + "-wal") else { return [] }
        return ["the log of the store that was replaced could not be moved into it: keep \(replaced)-wal beside it"]
    }

    // MARK: The exchange

    /// Gives the staged file the store's name, after the store that has it got a second one, which becomes its final one
    /// when the exchange is done.
    /// - Parameter backup: who may open it may open the new store, where there was none before.
    /// - Returns: the name that the old store has now; nil where there was none.
    func exchange(with staged: String, like backup: String) throws -> String? {
        StoreNames.removeSidecars(of: staged)
        (StoreAccess(of: path) ?? StoreAccess(of: backup)?.writable)?.give(to: staged)
        guard exists else {
            // What lies there without a store would be taken for the new one's log.
            StoreNames.removeSidecars(of: path)
            try rename(staged)
            return nil
        }
        if known != nil { foldLog() }
        let old = StoreLeftovers.replacedPath(of: path)
        do {
            _ = try ExternalData(storePath: old).copyFiles(from: ExternalData(storePath: path), isLinking: true)
            try keep(path, as: old)
            // The old log must be gone before the new file comes, or it would be taken for the new one's.
            for suffix in ["-wal", "-journal"] { Foundation.rename(path + suffix, old + suffix) }
            try? FileManager.default.removeItem(atPath: path + "-shm")
            DurableFile.synchronizeFolder(of: path)
            try rename(staged)
        } catch {
            _ = StoreLeftovers.settleReplaced(path)
            throw error
        }
        return StoreLeftovers.settleReplaced(path)
    }

    /// Moves the old store's log into its file, if that can be done.
    private func foldLog() {
        guard let connection = try? Connection(path: path, mode: .readWrite) else { return }
        _ = try? connection.checkpoint(.truncate)
    }

    private func keep(_ old: String, as new: String) throws {
        if link(old, new) == 0 { return }
        do {
            try PrivateFile.copy(old, to: new)
            StoreAccess(of: old)?.give(to: new)
        } catch {
            let bytes = (try? FileManager.default.attributesOfItem(atPath: old)[.size]) as? Int
            throw StoreError(writing: new, error, bytes: bytes)
        }
    }

    private func rename(_ staged: String) throws {
        guard Foundation.rename(staged, path) == 0 else { throw StoreError(writing: path, errno: errno) }
        DurableFile.synchronizeFolder(of: path)
    }
}
