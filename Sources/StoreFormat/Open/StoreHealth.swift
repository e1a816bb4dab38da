import SQLite
import Synchronization

/// Damage that this process met in files that it has open, and syncs of them that failed.
///
/// A file whose pages do not fit together can still be read where they do, but what is written to it may destroy more:
/// from the first sign of damage on, no stack of the process writes to it. After a sync that failed nobody knows what is on
/// the disk, and a second one that succeeds says nothing of it: there too writing ends until the file is opened anew.
public enum StoreHealth {
    private static let damaged = Mutex<[FileIdentity: StoreError]>([:])

    private static let handlers = Mutex<[FileIdentity: @Sendable (StoreError) -> Void]>([:])

    /// Remembers damage, the first of a file.
    static func note(_ error: StoreError, path: String) {
        guard let identity = FileIdentity(path) else { return }
        let isFirst = damaged.withLock { damaged in
            defer { damaged[identity] = damaged[identity] ?? error }
            return damaged[identity] == nil
        }
        if isFirst { handlers.withLock { $0[identity] }?(error) }
    }

    /// Tables or columns that another program removed: what is written beside the gap cannot be sound.
    public static func loss(of parts: [String], _ path: String) -> StoreError {
        StoreError(
            .damaged, "\(parts.joined(separator: ", ")) \(parts.count == 1 ? "is" : "are") gone from \(path)",
            way:
                "stop the daemon, and restore a backup: `coexistctl restore`. To go on without: `coexistctl release \(path)`, "
                + "and the next opening for writing adopts the store as it is")
    }

    /// Tables of history that are gone, though others are there, or the store is adopted; nil where none are.
    public static func lostHistory(of store: Store, isAdopted: Bool) -> StoreError? {
        guard !store.lostHistory.isEmpty else { return nil }
        var error = loss(of: store.lostHistory.map { "the table \($0)" }, store.path)
        if !isAdopted { error.way = StoreError.wayOfDamage(store.path) }
        return error
    }

    /// What is gone from a store since it was adopted; nil where nothing is, or the store is not adopted.
    public static func lossSinceAdoption(_ store: Store, _ connection: Connection) throws -> StoreError? {
        let lost = try store.partsLostSinceAdoption(connection)
        return lost.isEmpty ? nil : loss(of: lost, store.path)
    }

    /// Looks whether tables and columns that the store had are gone from the file, or entries of the register, and remembers
    /// it as damage.
    public static func checkParts(of store: Store, _ connection: Connection) throws {
        let lost = try store.lostParts(connection)
        if !lost.isEmpty { return note(loss(of: lost, store.path), path: store.path) }
        if let problem = try registerProblem(store, connection) { note(problem, path: store.path) }
    }

    /// Sets who is told when damage is met in a store for the first time, on whatever thread that is; nil ends it.
    public static func setHandler(of store: Store, _ handler: (@Sendable (StoreError) -> Void)?) {
        guard let identity = store.identity else { return }
        handlers.withLock { $0[identity] = handler }
    }

    /// What is wrong with the store's file; nil as long as nothing was met.
    public static func problem(of store: Store) -> StoreError? {
        store.identity.flatMap { identity in damaged.withLock { $0[identity] } }
    }

    /// Whether damage was met in a file, or a sync of it failed.
    static func isInTrouble(_ identity: FileIdentity?) -> Bool {
        identity.map { identity in damaged.withLock { $0[identity] != nil } } ?? false
    }

    /// Forgets what was met in a file that is opened anew.
    static func forget(_ identity: FileIdentity?) {
        if let identity { damaged.withLock { $0[identity] = nil } }
    }

    /// - Throws: `StoreError`: `Damaged` where damage was met in the store, `InputOutput` where a sync of it failed.
    public static func checkWritable(_ store: Store) throws {
        guard let problem = problem(of: store) else { return }
        let why = problem.code == .damaged ? "damage was met in it" : "a sync of it failed"
        throw StoreError(
            problem.code, "\(store.path) is not written any more, since \(why): \(problem.message)", way: problem.way)
    }

    /// Looks through all of the file's pages.
    /// - Parameter checksIndexes: whether each index is compared with its table too: a read by an index that lacks rows is
    ///   wrong, and nothing else tells.
    /// - Returns: what is wrong with it; nil for a sound file.
    public static func examine(_ path: String, checksIndexes: Bool) throws -> StoreError? {
        try pageProblem(path, checksIndexes: checksIndexes).map { problem in
            StoreError(
                .damaged, "\(path) is damaged: \(problem)",
                way: isIndexAlone(problem)
                    ? "`coexistctl verify \(path) --repair` fills the index anew"
                    : StoreError.wayOfDamage(path))
        }
    }

    /// Whether a line of SQLite's check says that an index disagrees with its table, and no more.
    static func isIndexAlone(_ problem: String) -> Bool {
        problem.contains("missing from index") || problem.contains("wrong # of entries in index")
    }

    /// Files up to this size are looked through where nobody asked for it: when a daemon starts, and by a doctor.
    public static let examinedBytes = 256 << 20

    /// What is wrong with the file's pages, in SQLite's words; nil for a sound file.
    static func pageProblem(_ path: String, checksIndexes: Bool) throws -> String? {
        do {
            return try StoreConnector.offlineReader(path).firstPageProblem(checksIndexes: checksIndexes)
        } catch let error as SQLiteError where error.isCorrupt {
            StoreHealth.note(StoreError(error, path: path), path: path)
            return error.message
        } catch {
            return try StoreConnector.translating(path) { throw error }
        }
    }
}
