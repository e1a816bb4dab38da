import Foundation

/// The locks on a database's files by every process, from `/proc/locks`.
public enum LockTable {
    /// A lock on one of the files.
    public struct Lock: Sendable, Hashable {
        /// What the bytes mean to SQLite, such as `write` or `read`; the numbers where they mean nothing to it.
        public var place: String
        /// The file, after the database's path: empty for the database itself.
        public var suffix: String
        /// Whether others are kept out.
        public var isExclusive: Bool
        /// Whether it is waited for, and not held.
        public var isWaiting: Bool
        /// The process; nil where it is in another namespace, or the lock belongs to an open file.
        public var processID: Int32?
        /// The name of its program; nil where it may not be seen.
        public var processName: String?
        /// Whether the process is stopped.
        public var isStopped: Bool
    }

    /// The locks on a database's files. They are asked for by the files' names; nothing is opened.
    /// - Returns: nil where `/proc/locks` cannot be read.
    public static func locks(databasePath: String) -> [Lock]? {
        guard let text = KernelFile.text(at: "/proc/locks") else { return nil }
        let path = RealPath.of(databasePath)
        let files = ["", "-shm", "-wal"].compactMap { suffix in identity(path + suffix).map { (suffix, $0) } }
        return locks(text, files: files)
    }

    /// A file, as `/proc/locks` names it.
    struct Identity {
        var device: String
        var inode: UInt64
    }

    private static func identity(_ path: String) -> Identity? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        let (major, minor) = (
            (info.st_dev >> 8) & 0xfff | (info.st_dev >> 32) & ~0xfff, info.st_dev & 0xff | (info.st_dev >> 12) & ~0xff
        )
        func hex(_ value: UInt) -> String {
            let text = String(value, radix: 16)
            return text.count < 2 ? "0" + text : text
        }
        return Identity(device: "\(hex(UInt(major))):\(hex(UInt(minor)))", inode: UInt64(info.st_ino))
    }

    static func locks(_ text: String, files: [(suffix: String, file: Identity)]) -> [Lock] {
        var exact: [Lock] = []
        var byInode: [Lock] = []
        for line in text.split(separator: "\n") {
            guard let entry = Entry(line) else { continue }
            for (suffix, file) in files where entry.inode == file.inode {
                if entry.device == file.device { exact.append(entry.lock(suffix)) }
                byInode.append(entry.lock(suffix))
            }
        }
        // Some file systems show another device there than to who asks for the file's own.
        return exact.isEmpty ? byInode : exact
    }

    /// `1: POSIX  ADVISORY  WRITE 4711 08:01:131 120 120`, with `->` behind the number of one that waits.
    private struct Entry {
        var isExclusive: Bool
        var isWaiting: Bool
        var processID: Int32
        var device: String
        var inode: UInt64
        var start: Int64
        var end: Int64?

        init?(_ line: Substring) {
            var words = line.split(separator: " ")[...]
            guard words.popFirst() != nil else { return nil }
            isWaiting = words.first == "->"
            if isWaiting { words.removeFirst() }
            guard words.count == 7 else { return nil }
            let fields = Array(words)
            let file = fields[4].split(separator: ":")
            guard fields[0] == "POSIX", let id = Int32(fields[3]), file.count == 3, let inode = UInt64(file[2]),
                let start = Int64(fields[5])
            else { return nil }
            isExclusive = fields[2] == "WRITE"
            processID = id
            device = file[0] + ":" + file[1]
            self.inode = inode
            self.start = start
            end = Int64(fields[6])
        }

        func lock(_ suffix: String) -> Lock {
            let place = SQLiteLocks.places.first {
                $0.suffix == suffix && $0.start <= start && (end ?? .max) < $0.start + $0.count
            }
            let state = processID > 0 ? ProcessState(processID) : nil
            return Lock(
                place: place?.name ?? "bytes \(start) to \(end.map { "\($0)" } ?? "the end")", suffix: suffix,
                isExclusive: isExclusive, isWaiting: isWaiting, processID: processID > 0 ? processID : nil,
                processName: state?.name, isStopped: state?.isStopped ?? false)
        }
    }
}
