import Foundation
import SQLite

/// How a store that nobody has open can be read without touching it.
enum QuietStore {
    /// What to open, and how.
    enum Reading {
        /// As any reader: the store is not in WAL mode, or some process has it open.
        case plain
        /// As immutable: there is no log.
        case immutable
        /// A private copy, which goes when it has been opened.
        case copy(folder: String, path: String)
    }

    /// Decides, and copies where that is needed. Nothing in this process may have the store open.
    static func reading(_ path: String) -> Reading {
        guard isWAL(path) else { return hasHotJournal(path) ? copy(path, with: "-journal") ?? .plain : .plain }
        let log = size(path + "-wal")
        guard let log else { return .immutable }
        if isOpenElsewhere(path) { return .plain }
        return log == 0 ? .immutable : copy(path, with: "-wal") ?? .plain
    }

    /// Whether a log with anything in it lies beside the store.
    static func hasLog(_ path: String) -> Bool { size(path + "-wal") ?? 0 > 0 }

    static func isWAL(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let header = try? file.read(upToCount: 20), header.count == 20 else { return false }
        return header[18] == 2
    }

    /// Whether a transaction was cut off, and is to be undone by whoever opens the store next: there is a journal, and
    /// nobody holds the lock of a writer (SQLite's byte `RESERVED_BYTE`). SQLite cannot read such a file without writing.
    private static func hasHotJournal(_ path: String) -> Bool {
        guard let size = size(path + "-journal"), size > 0 else { return false }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return !isLocked(descriptor, 0x4000_0001)
    }

    private static func isLocked(_ descriptor: Int32, _ byte: Int) -> Bool {
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = byte
        lock.l_len = 1
        return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }

    private static func size(_ path: String) -> Int? {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int
    }

    /// Every connection to a WAL database holds a shared lock on byte 128 of the -shm file (SQLite's `UNIX_SHM_DMS`).
    static func isOpenElsewhere(_ path: String) -> Bool {
        let descriptor = open(path + "-shm", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return isLocked(descriptor, 128)
    }

    /// Copies the file and its log or journal; nil if that cannot be done, or if they changed meanwhile.
    private static func copy(_ path: String, with sidecar: String) -> Reading? {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appendingPathComponent("coexist-read-\(UUID().uuidString)").path
        let target = folder + "/store"
        func stamps() -> [Date?] {
            ["", sidecar].map { (try? files.attributesOfItem(atPath: path + $0)[.modificationDate]) as? Date }
        }
        let before = stamps()
        do {
            try PrivateFile.makeFolder(folder)
            for suffix in ["", sidecar] { try PrivateFile.copy(path + suffix, to: target + suffix) }
            guard stamps() == before else { throw CocoaError(.fileReadUnknown) }
        } catch {
            try? files.removeItem(atPath: folder)
            return nil
        }
        return .copy(folder: folder, path: target)
    }
}
