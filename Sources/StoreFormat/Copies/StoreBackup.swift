import Foundation
import SQLite

/// Consistent copies of a store, with its external data.
public enum StoreBackup {
    /// Copies the store as of one moment, its log included, into one file. The store is not touched, and may be written
    /// meanwhile. The file has its name when it is whole, and is open to those whom the store is open to, never to more.
    /// - Parameters:
    ///   - checksPages: whether the copy's pages are looked at (`PRAGMA quick_check`).
    ///   - progress: pages that remain, pages in all.
    /// - Returns: what is wrong with the copy's pages, and so with the store's; nil for sound ones.
    /// - Throws: `StoreError`: `AlreadyExists` if something lies at the target, `ExternalData` where another store has its
    ///   external files in the place that the copy's would have, `DiskFull` and others; a failure leaves nothing there.
    @discardableResult
    public static func copy(
        _ path: String, to target: String, checksPages: Bool = true, progress: (Int, Int) -> Void = { _, _ in }
    ) throws -> String? {
        try make(path, target, checksPages) { draft in
            let source = try StoreConnector.translating(path) { try StoreConnector.offlineReader(path) }
            try translating(path, target) { try copy(source, to: draft, progress) }
        }
    }

    /// The same through a connection that the store is attached to.
    static func copy(
        _ path: String, attachedTo connection: Connection, as schema: String, to target: String
    ) throws -> String? {
        try make(path, target, true) { draft in
            try translating(path, target) { try connection.backup(to: draft, schema: schema) }
        }
    }

    /// Copies what a connection sees at one moment to a new file.
    static func copy(_ source: Connection, to target: String, _ progress: (Int, Int) -> Void) throws {
        // Held open, the snapshot keeps other processes' commits from starting the copy over.
        try source.transaction(.deferred) {
            _ = try source.scalar("SELECT count(*) FROM sqlite_master")
            try source.backup(to: target, progress: progress)
        }
    }

    private static func make(
        _ path: String, _ target: String, _ checksPages: Bool, _ copy: (String) throws -> Void
    ) throws -> String? {
        let source = ExternalData(storePath: path)
        try StoreNames.check(target, from: path)
        let draft = try StoreDraft(of: target)
        try ExternalData.requireOwnPlace(target, hasFiles: !source.isEmpty)
        do {
            // Files first, for a save may remove one that the copied rows still name; then those that came meanwhile.
            _ = try draft.externalData.copyFiles(from: source)
            try copy(draft.path)
            _ = try draft.externalData.copyFiles(from: source)
            let problem = checksPages ? try StoreHealth.pageProblem(draft.path, checksIndexes: true) : nil
            try draft.finish(like: path)
            return problem
        } catch {
            draft.discard()
            throw error
        }
    }

    /// What fails while a copy is written is mostly about the copy, and says so.
    static func translating<T>(_ path: String, _ target: String, _ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as SQLiteError
            where error.isFull || error.isReadOnly || error.isCannotOpen
            || error.isSyncFailure
        {
            throw StoreError(error, path: target)
        } catch {
            return try StoreConnector.translating(path) { throw error }
        }
    }

    /// A path beside the store that nothing has yet, named for the time and for what the copy is from:
    /// `STORE.LABEL-TIME.EXTENSION`. The name without its last extension, by which external files go, is the copy's alone.
    public static func path(beside path: String, label: String) -> String {
        let path = RealPath.of(path)
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
        let base = "\(path).\(label)-\(format.string(from: Date()))"
        let own = URL(fileURLWithPath: path).pathExtension
        let suffix = own.isEmpty ? "sqlite" : own
        var candidate = "\(base).\(suffix)"
        var number = 1
        while StoreProbe.isTaken(candidate) || StoreProbe.isTaken(ExternalData(storePath: candidate).supportFolder) {
            number += 1
            candidate = "\(base)-\(number).\(suffix)"
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
        try? FileManager.default.removeItem(atPath: path)
        StoreNames.removeSidecars(of: path)
    }
}
