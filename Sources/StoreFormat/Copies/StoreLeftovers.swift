import Foundation
import SQLite

/// What a migration, an adoption or a restore that was ended left beside the store. Only for who has the store's lock: one
/// may be running.
public enum StoreLeftovers {
    /// Where a migration builds the new store.
    static func migrationPath(of path: String) -> String { RealPath.of(path) + "-coexist-migration" }

    /// Where a restore puts the backup, until it takes the store's place.
    static func restorePath(of path: String) -> String { RealPath.of(path) + "-coexist-restore" }

    /// The second name that a restore gives to the store in place; with an extension, so that its external files have a
    /// folder of their own.
    static func replacedPath(of path: String) -> String { RealPath.of(path) + "-coexist-replaced.old" }

    /// The files and folders that are there.
    public static func found(of path: String) -> [String] {
        let url = URL(fileURLWithPath: RealPath.of(path))
        let folder = url.deletingLastPathComponent().path
        let name = url.lastPathComponent
        let begins = ["-coexist-adoption", "-coexist-migration", "-coexist-restore", "-coexist-replaced"].map {
            name + $0
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { found in
            // A folder of external files begins with a dot.
            [found[...], found.hasPrefix(".") ? found.dropFirst() : ""].contains { own in
                begins.contains { own.hasPrefix($0) }
                    || own.hasPrefix("\(name).before-") && own.contains(StoreDraft.mark)
            }
        }.map { "\(folder)/\($0)" }
    }

    /// Finishes a restore that was broken off, and removes everything else.
    public static func settle(_ path: String) {
        AdoptionNote.settle(path)
        if !found(of: path).isEmpty { _ = settleReplaced(path) }
        for name in found(of: path) { try? FileManager.default.removeItem(atPath: name) }
    }

    /// Gives the store that a restore replaced its final name. Where nothing was replaced, as the new store had not got
    /// its place yet, the second name goes and the log comes back.
    /// - Returns: the final name; nil where nothing was replaced.
    static func settleReplaced(_ path: String) -> String? {
        let files = FileManager.default
        let old = replacedPath(of: path)
        let data = ExternalData(storePath: old)
        guard files.fileExists(atPath: old), !files.fileExists(atPath: restorePath(of: path)) else {
            for suffix in ["-wal", "-journal"] where !files.fileExists(atPath: path + suffix) {
                if isNewer(old + suffix, than: path) { rename(old + suffix, path + suffix) }
            }
            data.remove((try? files.contentsOfDirectory(atPath: data.folder)) ?? [])
            StoreBackup.removeFile(old)
            return nil
        }
        let kept = StoreBackup.path(beside: path, label: "replaced")
        if !data.isEmpty { rename(data.supportFolder, ExternalData(storePath: kept).supportFolder) }
        for suffix in ["-wal", "-journal", ""] where files.fileExists(atPath: old + suffix) {
            rename(old + suffix, kept + suffix)
        }
        DurableFile.synchronizeFolder(of: path)
        return kept
    }

    /// A log that was moved away before the store was written again is no longer its log.
    private static func isNewer(_ log: String, than path: String) -> Bool {
        var (moved, store) = (stat(), stat())
        guard stat(log, &moved) == 0, stat(path, &store) == 0 else { return false }
        return (moved.st_ctim.tv_sec, moved.st_ctim.tv_nsec) >= (store.st_mtim.tv_sec, store.st_mtim.tv_nsec)
    }
}
