import CSQLite
import Foundation

extension Connection {
    /// The number of commits that the WAL index has counted since it was made; nil outside WAL mode.
    ///
    /// Read through SQLite's shared-memory method: opening the -shm file would drop this process' locks.
    public func walChangeCount() throws -> UInt32? {
        try walHeader().map { $0[2] }
    }

    /// Whether the log has a frame behind those of the last commit: somebody is committing, or was cut off.
    public func hasUncommittedFrames() throws -> Bool {
        guard let header = try walHeader() else { return false }
        // WalIndexHdr in SQLite's wal.c: szPage (65536 is 1) in the upper half of the fourth word, mxFrame, aSalt.
        let pageSize = header[3] >> 16 == 1 ? 65_536 : Int(header[3] >> 16)
        // The log holds no locks of SQLite's, so that it may be opened and closed here.
        let log = open(openedPath + "-wal", O_RDONLY | O_CLOEXEC)
        guard log >= 0 else { return false }
        defer { close(log) }
        // A frame's salts follow its page's number and the size of the database, 4 bytes each (file format, 4.1).
        var salts: [UInt32] = [0, 0]
        let place = 32 + Int(header[4]) * (pageSize + 24) + 8
        guard pread(log, &salts, 8, off_t(place)) == 8 else { return false }
        // Both as the bytes stand in the log: frames from before the log began anew have others.
        return salts[0] == header[8] && salts[1] == header[9]
    }

    /// The words of the WAL index header; nil outside WAL mode.
    private func walHeader() throws -> [UInt32]? {
        var words = [UInt32](repeating: 0, count: Int(COEXIST_WAL_HEADER_WORDS))
        let code = coexist_sqlite3_wal_header(handle, &words)
        if code == SQLITE_NOTFOUND { return nil }
        guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
        return words
    }
}
