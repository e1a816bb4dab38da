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
        let source = try RestoreSource(backup, target: path)
        let hadLock = FileManager.default.fileExists(atPath: "\(path)-coexist")
        let lock = try StoreLock(storePath: path)
        defer { if !hadLock { try? FileManager.default.removeItem(atPath: lock.path) } }
        let place = try RestorePlace(path)
        try place.check(source)
        var report = Report(replaced: nil, timeline: nil, last: source.last, warnings: place.warnings(against: source))
        let staged = "\(path).restoring-\(UUID().uuidString.prefix(8))"
        let data = ExternalData(storePath: path)
        var files: [String] = []
        do {
            try StoreConnector.translating(backup) { try source.copy(to: staged, progress: progress) }
            report.timeline = try StoreConnector.translating(staged) { try place.begin(staged, source) }
            try StoreBackup.synchronize(staged)
            files = try data.copyFiles(from: ExternalData(storePath: backup))
            report.replaced = try place.exchange(with: staged)
        } catch {
            StoreBackup.removeFile(staged)
            data.remove(files)
            throw error
        }
        prune(path)
        return report
    }

    /// Removes external files that only the replaced store named; it has them under its own name.
    private static func prune(_ path: String) {
        let data = ExternalData(storePath: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.folder)) ?? []
        guard !names.isEmpty, !data.isShared(storePath: path), let store = try? Store.open(path),
            let used = try? externalNames(store)
        else { return }
        data.remove(names.filter { !used.contains($0) })
    }

    private static func externalNames(_ store: Store) throws -> Set<String> {
        let connection = try StoreConnector.offlineReader(store.path)
        var names: Set<String> = []
        for entity in store.layout.roots + store.layout.entities {
            for leaf in entity.attributes.flatMap(\.leaves) where leaf.isExternal {
                guard let column = leaf.column.map({ entity.columns[$0].sqlIdentifier }) else { continue }
                let sql = "SELECT \(column) FROM \(entity.table.sqlIdentifier) WHERE substr(\(column), 1, 1) = x'02'"
                try connection.prepare(sql).forEach([]) { row in
                    ExternalData.reference(in: row.blob(0) ?? []).map { _ = names.insert($0) }
                }
            }
        }
        return names
    }
}
