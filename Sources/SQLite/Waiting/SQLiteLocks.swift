import Foundation

/// The bytes that SQLite locks (its `os_unix.c` and `wal.c`), and who has them.
public enum SQLiteLocks {
    /// A byte, or a run of bytes, that means one thing.
    public struct Place: Sendable, Hashable {
        /// What a lock there is for.
        public var name: String
        /// After the database's path: where the bytes are.
        public var suffix: String
        /// The first byte.
        public var start: Int64
        /// How many bytes.
        public var count: Int64
    }

    /// The lock on writing in WAL mode.
    public static let writer = Place(name: "write", suffix: "-shm", start: 120, count: 1)

    /// All places of a database.
    public static let places = [
        writer,
        Place(name: "checkpoint", suffix: "-shm", start: 121, count: 1),
        Place(name: "recovery", suffix: "-shm", start: 122, count: 1),
        Place(name: "read", suffix: "-shm", start: 123, count: 5),
        Place(name: "open", suffix: "-shm", start: 128, count: 1),
        Place(name: "pending", suffix: "", start: 0x4000_0000, count: 1),
        Place(name: "reserved", suffix: "", start: 0x4000_0001, count: 1),
        Place(name: "shared", suffix: "", start: 0x4000_0002, count: 510),
    ]

    /// The process that keeps this one from writing, asked of SQLite's own descriptors: opening and closing the files
    /// here would drop this process' locks.
    /// - Returns: its number, 0 for a process in another namespace; nil where no other process is in the way.
    static func holder(databasePath path: String) -> Int32? {
        let path = RealPath.of(path)
        let descriptors = OpenDescriptors.of([path, path + "-shm"])
        for place in places where ["write", "recovery", "reserved", "pending", "shared"].contains(place.name) {
            // A read lock is asked for among the shared bytes: only who has them alone is in the way of that.
            let type = place.name == "shared" ? F_RDLCK : F_WRLCK
            if let descriptor = descriptors[path + place.suffix],
                let holder = owner(descriptor, type, place.start, place.count)
            {
                return holder
            }
        }
        return nil
    }

    /// A process that reads a database with a rollback journal, and so keeps this one from committing, asked likewise.
    static func reader(databasePath path: String) -> Int32? {
        let path = RealPath.of(path)
        guard let shared = places.first(where: { $0.name == "shared" }),
            let descriptor = OpenDescriptors.of([path])[path]
        else { return nil }
        return owner(descriptor, F_WRLCK, shared.start, shared.count)
    }

    private static func owner(_ descriptor: Int32, _ type: Int32, _ start: Int64, _ count: Int64) -> Int32? {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(start)
        lock.l_len = off_t(count)
        guard fcntl(descriptor, F_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        return max(0, lock.l_pid)
    }
}

/// Descriptors that this process has open on files already.
private enum OpenDescriptors {
    static func of(_ paths: [String]) -> [String: Int32] {
        var files: [String: stat] = [:]
        for path in paths {
            var info = stat()
            if stat(path, &info) == 0 { files[path] = info }
        }
        var found: [String: Int32] = [:]
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            var info = stat()
            guard let descriptor = Int32(name), fstat(descriptor, &info) == 0 else { continue }
            for (path, file) in files where file.st_ino == info.st_ino && file.st_dev == info.st_dev {
                found[path] = descriptor
            }
        }
        return found
    }
}
