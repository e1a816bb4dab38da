import Foundation
import SQLite

/// Puts a backup in a store's place. The store that was there is kept beside it.
///
/// Runs under the store's lock. The caller holds no connection to either file.
public enum StoreRestore {
    /// What a restore did.
    public struct Report: Sendable, Hashable {
        /// Where the store that was replaced lies now; nil where there was none.
        public var replaced: String?
        /// The store's timeline from now on; nil for one that is not adopted.
        public var timeline: Int64?
        /// The newest transaction of the restored store.
        public var last: Int64
        /// What the person should know: what the backup lacks, what could not be compared.
        public var warnings: [String]
    }

    /// Restores.
    ///
    /// The name changes from the old file to the new one in a single step. A failure before leaves the store as it was;
    /// after an interruption there is either the old store or the new one.
    /// - Parameter progress: pages that remain, pages in all.
    /// - Throws: `StoreError`: `Damaged` for a backup that is, `OtherStore` for one of another store, `Busy` beside a
    ///   daemon, or where a program has the store open, and what opening the backup throws.
    public static func restore(
        _ backup: String, to path: String, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> Report {
        if StoreProbe.isTaken(path), !FileManager.default.fileExists(atPath: path) { try StoreProbe.check(path) }
        let path = RealPath.of(path)
        try StoreNames.check(path)
        let source = try RestoreSource(backup, target: path)
        let lock = try StoreLock(storePath: path)
        defer { lock.release() }
        StoreLeftovers.settle(path)
        let place = try RestorePlace(path)
        try place.check(source)
        var report = Report(replaced: nil, timeline: nil, last: source.last, warnings: place.warnings(against: source))
        let staged = StoreLeftovers.restorePath(of: path)
        let data = ExternalData(storePath: path)
        let journal = ExternalFileJournal(data)
        var files: [String] = []
        do {
            try source.copy(to: staged, progress: progress)
            report.timeline = try StoreConnector.translating(staged) { try place.begin(staged, source) }
            do { try DurableFile.synchronize(staged) } catch { throw StoreError(writing: staged, error) }
            // What a process that is killed leaves of either store, the next writer removes.
            let from = ExternalData(storePath: source.path)
            try journal.note(data.missing(from: from) + (data.isShared(storePath: path) ? [] : place.externalNames()))
            files = try data.copyFiles(from: from)
            report.replaced = try place.exchange(with: staged, like: source.path)
        } catch {
            StoreBackup.removeFile(staged)
            journal.clear()
            data.remove(files)
            throw error
        }
        prune(path)
        journal.clear()
        data.removeEmptyFolders()
        report.warnings += place.logWarnings(replaced: report.replaced)
        return report
    }

    /// Removes external files that only the replaced store named; it has them under its own name.
    private static func prune(_ path: String) {
        let data = ExternalData(storePath: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.folder)) ?? []
        guard !names.isEmpty, !data.isShared(storePath: path),
            let used = try? ExternalReferences.names(ofStoreAt: path)
        else { return }
        data.remove(names.filter { !used.contains($0) })
    }
}
