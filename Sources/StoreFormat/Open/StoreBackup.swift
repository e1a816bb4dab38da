import Foundation
import SQLite

/// Consistent copies of a store, with its external data.
public enum StoreBackup {
    /// Copies the store as of one moment, its log included, into one file.
    /// - Throws: `StoreError` `AlreadyExists` if something lies at the target; a failure leaves nothing there.
    public static func copy(_ path: String, to target: String, progress: (Int, Int) -> Void = { _, _ in }) throws {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw StoreError(
                .alreadyExists, "\(target) exists already", way: "give another path, or move the file away")
        }
        do {
            try StoreConnector.translating(path) {
                let source = try StoreConnector.offlineReader(path)
                try source.backup(to: target, progress: progress)
            }
            try copyExternalData(from: path, to: target)
            try synchronize(target)
        } catch {
            remove(target)
            throw error
        }
    }

    /// Removes a store's file, sidecars and external data.
    public static func remove(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try? FileManager.default.removeItem(atPath: supportFolder(path))
    }

    private static func supportFolder(_ path: String) -> String {
        URL(fileURLWithPath: ExternalData(storePath: path).folder).deletingLastPathComponent().path
    }

    private static func copyExternalData(from path: String, to target: String) throws {
        let folder = supportFolder(path)
        guard FileManager.default.fileExists(atPath: folder) else { return }
        let destination = supportFolder(target)
        do {
            try? FileManager.default.removeItem(atPath: destination)
            try FileManager.default.copyItem(atPath: folder, toPath: destination)
        } catch {
            throw StoreError(
                .externalData, "the external data of \(path) cannot be copied: \(error)",
                way: "free space beside \(target), and check the permissions")
        }
    }

    /// A backup that a power cut can take back is none.
    private static func synchronize(_ path: String) throws {
        guard let file = FileHandle(forUpdatingAtPath: path) else { return }
        try file.synchronize()
        try file.close()
    }
}
