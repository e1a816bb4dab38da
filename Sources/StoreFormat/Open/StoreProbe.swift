import Foundation
import SQLite

/// Looks at the raw file before SQLite does, so that what is no store is told apart and not touched.
///
/// A file that this process has open already is not looked at: it was when it was opened.
public enum StoreProbe {
    /// Checks that the path is a readable file that starts like an SQLite database.
    /// - Throws: `StoreError`: `NotFound`, `AccessDenied`, `Empty`, `NotADatabase`, `Encrypted`, `Damaged`.
    public static func check(_ path: String) throws {
        try RawFile.read(path) { try inspect($0) }
    }

    private static func inspect(_ path: String) throws {
        try checkKind(path)
        guard let file = FileHandle(forReadingAtPath: path) else { throw unreadable(path) }
        defer { try? file.close() }
        let header: Data
        let size: UInt64
        do {
            header = try file.read(upToCount: 100) ?? Data()
            size = try file.seekToEnd()
        } catch {
            throw StoreError(.inputOutput, "\(path) cannot be read: \(error)", way: "check the disk")
        }
        try check(header: [UInt8](header), size: size, path: path)
    }

    /// The error for a file that its permissions keep from being read.
    static func unreadable(_ path: String) -> StoreError {
        StoreError(.accessDenied, "\(path) may not be read", way: "check its permissions")
    }

    /// Whether something lies at the path, were it a link that leads nowhere: then nothing may be made there.
    public static func isTaken(_ path: String) -> Bool {
        var info = stat()
        // Where the path cannot be looked at, opening says why.
        return lstat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// Whether the file at the path begins as a database does, or is open in this process.
    static func isDatabase(_ path: String) -> Bool {
        RawFile.read(path) { path in
            guard (try? checkKind(path)) != nil, let file = FileHandle(forReadingAtPath: path) else { return false }
            defer { try? file.close() }
            return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
        } ?? true
    }

    /// Whether an ordinary file lies at the path itself, and not behind a link.
    static func isOrdinary(_ path: String) -> Bool {
        var info = stat()
        return lstat(path, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }

    /// Whether a file at the path begins as a database does. For a path that this process has not opened.
    public static func startsAsDatabase(_ path: String) -> Bool {
        isTaken(path) && isDatabase(path)
    }

    /// A pipe or a device must not even be opened: that can wait for ever.
    /// - Throws: `StoreError` `NotFound`, `NotADatabase`, `AccessDenied`.
    static func checkKind(_ path: String) throws {
        var info = stat()
        guard stat(path, &info) == 0 else { throw missing(path, errno) }
        switch info.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFDIR:
            throw StoreError(.notADatabase, "\(path) is a folder", way: "give the store file itself")
        default:
            throw StoreError(
                .notADatabase, "\(path) is no file, but a pipe, a socket or a device", way: "give the store file itself"
            )
        }
    }

    private static func missing(_ path: String, _ code: Int32) -> StoreError {
        switch code {
        case ENOENT, ENOTDIR:
            isTaken(path)
                ? StoreError(.notFound, "\(path) is a link that leads nowhere", way: "correct or remove the link")
                : StoreError(.notFound, "there is no file \(path)", way: "check the path")
        case ELOOP: StoreError(.notFound, "\(path) is a link that leads to itself", way: "correct or remove the link")
        case EACCES:
            StoreError(.accessDenied, "the folder of \(path) may not be entered", way: "check its permissions")
        default:
            StoreError(
                .inputOutput, "\(path) cannot be looked at: \(String(cString: strerror(code)))", way: "check the path")
        }
    }

    private static func check(header: [UInt8], size: UInt64, path: String) throws {
        guard size > 0 else {
            throw StoreError(.empty, "\(path) is empty: it has no bytes", way: "restore a backup, or create a store")
        }
        let magic = Array("SQLite format 3\0".utf8)
        guard header.starts(with: magic) else {
            if isLikelyEncrypted(header) {
                throw StoreError(
                    .encrypted, "\(path) is no plain SQLite database: its header looks encrypted",
                    way: "decrypt it first, as with SQLCipher's sqlcipher_export")
            }
            throw StoreError(
                .notADatabase, "\(path) is no SQLite database: its first bytes are not SQLite's",
                way: header.allSatisfy { $0 == 0 }
                    ? "its beginning was overwritten with zeros: " + StoreError.wayOfDamage(path)
                    : "give a Core Data store of the SQLite type (XML and binary stores are not read); if it is one whose "
                        + "beginning was overwritten, `coexistctl salvage \(path) NEW` reads what can be read")
        }
        guard header.count == 100 else {
            throw StoreError(.damaged, "\(path) ends inside its header, after \(size) bytes", way: "restore a backup")
        }
        let raw = Int(header[16]) << 8 | Int(header[17])
        let pageSize = raw == 1 ? 65_536 : raw
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0, (1...2).contains(header[18]),
            (1...2).contains(header[19])
        else {
            throw StoreError(
                .damaged, "the header of \(path) names impossible sizes or versions", way: StoreError.wayOfDamage(path))
        }
        let pages = header[28..<32].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let isCurrent = Array(header[24..<28]) == Array(header[92..<96])
        // The page count in the header holds where the file was last written by a version that keeps it; with a WAL,
        // pages that are still there may not be in the main file yet.
        if isCurrent, pages > 0, size < pages * UInt64(pageSize), !hasLog(RealPath.of(path)) {
            throw StoreError(
                .damaged, "\(path) is cut short: \(size) bytes of \(pages * UInt64(pageSize))",
                way: StoreError.wayOfDamage(path))
        }
    }

    private static func hasLog(_ path: String) -> Bool {
        let size = (try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]) as? Int
        return (size ?? 0) > 0
    }

    /// Random bytes have a high count of distinct values; text, XML and property lists do not.
    private static func isLikelyEncrypted(_ header: [UInt8]) -> Bool {
        header.count == 100 && Set(header).count > 70 && header.contains { $0 >= 0x80 }
    }
}
