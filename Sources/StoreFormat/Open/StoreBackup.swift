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
        try finish(path, target) {
            try StoreConnector.offlineReader(path).backup(to: target, progress: progress)
        }
    }

    /// The same through a connection that the store is attached to.
    static func copy(_ path: String, attachedTo connection: Connection, as schema: String, to target: String) throws {
        try finish(path, target) { try connection.backup(to: target, schema: schema) }
    }

    private static func finish(_ path: String, _ target: String, _ copy: () throws -> Void) throws {
        do {
            try StoreConnector.translating(path, copy)
            try copyExternalData(from: path, to: target)
            try synchronize(target)
        } catch {
            remove(target)
            throw error
        }
    }

    /// A path beside the store that nothing has yet, named for the time and for what the copy is from before.
    public static func path(beside path: String, before event: String) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
        let base = "\(path).before-\(event)-\(format.string(from: Date()))"
        var candidate = base
        var suffix = 1
        while FileManager.default.fileExists(atPath: candidate) {
            suffix += 1
            candidate = "\(base)-\(suffix)"
        }
        return candidate
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
