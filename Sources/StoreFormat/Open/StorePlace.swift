import SQLite

/// Notices that an open connection's files are no longer those that lie at the store's path.
///
/// What is written to a file that was replaced is lost, and a log or an index that was removed is shared with nobody any
/// more: two programs then write without knowing of each other. So a save looks before it commits.
struct StorePlace {
    private let path: String
    private var log: FileIdentity?
    private var index: FileIdentity?

    init(_ path: String) {
        self.path = path
    }

    /// Looks at the paths. To be called inside a transaction of the connection: then its log is there, and stays the same
    /// file for as long as the connection is open.
    /// - Throws: `StoreError` `StoreReplaced`.
    mutating func check(_ connection: Connection, store: Store) throws {
        try store.checkPlace()
        guard !connection.isMoved else { throw StoreError.replaced(path) }
        try Self.check(connection.logPath, against: &log, path)
        try Self.check(connection.indexPath, against: &index, path)
    }

    /// Whether the log alone was removed, and nobody has made another: what it holds is then in no file that others see,
    /// but a checkpoint can still move it into the store.
    func isLogOrphaned(_ connection: Connection) -> Bool {
        guard log != nil, FileIdentity(connection.logPath) == nil, !connection.isMoved else { return false }
        let found = FileIdentity(connection.indexPath)
        return found == nil || found == index
    }

    private static func check(_ name: String, against known: inout FileIdentity?, _ path: String) throws {
        let found = FileIdentity(name)
        guard let expected = known else {
            known = found
            return
        }
        guard found == expected else {
            throw StoreError(
                .storeReplaced, "\(name) was \(found == nil ? "removed" : "replaced") while \(path) was open",
                way: "end every program that has the store open, and open it again")
        }
    }
}

extension Store {
    /// Looks whether the path still leads to the file that was opened: a call of stat(2).
    /// - Throws: `StoreError` `StoreReplaced`.
    public func checkPlace() throws {
        guard FileIdentity(givenPath) == identity else { throw StoreError.replaced(givenPath) }
    }
}

extension StoreError {
    static func replaced(_ path: String) -> StoreError {
        let what = FileIdentity(path) == nil ? "was removed or renamed" : "was replaced by another file"
        return StoreError(
            .storeReplaced, "\(path) \(what) while it was open",
            way: "put the file back and open it again; nothing was written to it since")
    }
}
