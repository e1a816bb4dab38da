import Foundation
import SQLite

/// Consistent copies of a store, with its external data.
public enum StoreBackup {
    /// Copies the store as of one moment, its log included, into one file. The store is not touched, and may be written
    /// meanwhile.
    /// - Throws: `StoreError` `AlreadyExists` if something lies at the target; a failure leaves nothing there.
    public static func copy(_ path: String, to target: String, progress: (Int, Int) -> Void = { _, _ in }) throws {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw StoreError(
                .alreadyExists, "\(target) exists already", way: "give another path, or move the file away")
        }
        try finish(path, target) {
            let source = try StoreConnector.offlineReader(path)
            // Held open, the snapshot keeps other processes' commits from starting the copy over.
            try source.transaction(.deferred) {
                _ = try source.scalar("SELECT count(*) FROM sqlite_master")
                try source.backup(to: target, progress: progress)
            }
        }
    }

    /// The same through a connection that the store is attached to.
    static func copy(_ path: String, attachedTo connection: Connection, as schema: String, to target: String) throws {
        try finish(path, target) { try connection.backup(to: target, schema: schema) }
    }

    private static func finish(_ path: String, _ target: String, _ copy: () throws -> Void) throws {
        let folder = URL(fileURLWithPath: target).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw StoreError(.notFound, "there is no folder \(folder)", way: "make it first, or give another path")
        }
        let (from, to) = (ExternalData(storePath: path), ExternalData(storePath: target))
        if from.folder == to.folder, FileManager.default.fileExists(atPath: from.folder) {
            throw StoreError(
                .externalData,
                "a copy named \(target) would have its external files where the store has them, and lose those that it removes",
                way: "give the copy another name or folder")
        }
        var files: [String] = []
        do {
            // Files first, for a save may remove one that the copied rows still name; then those that came meanwhile.
            files += try to.copyFiles(from: from)
            try StoreConnector.translating(path, copy)
            files += try to.copyFiles(from: from)
            try synchronize(target)
        } catch {
            removeFile(target)
            ExternalData(storePath: target).remove(files)
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

    /// Removes a copy: its file, its sidecars, and its external data where no other store has its own in the same place.
    public static func remove(_ path: String) {
        let data = ExternalData(storePath: path)
        if !data.isShared(storePath: path) {
            data.remove((try? FileManager.default.contentsOfDirectory(atPath: data.folder)) ?? [])
        }
        removeFile(path)
    }

    static func removeFile(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    /// A backup that a power cut can take back is none.
    static func synchronize(_ path: String) throws {
        if let file = FileHandle(forUpdatingAtPath: path) {
            try file.synchronize()
            try file.close()
        }
        synchronizeFolder(of: path)
    }

    /// A new name is on the disk only when its folder is.
    static func synchronizeFolder(of path: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
