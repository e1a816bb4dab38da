import Foundation
import SQLite
import StoreFormat
import Varlink

extension Examination {
    /// The store's file, its sidecars and its folder.
    static func file(_ store: String) -> Examination {
        var result = Examination("store", "store")
        let path = store
        result.add("path", path)
        do {
            try StoreProbe.check(store)
        } catch {
            result.findings.append(.wrong(error))
        }
        result.addNames(path)
        result.addHeader(path)
        result.addSidecars(path)
        result.addFolder(path)
        return result
    }

    /// Names by which others might open the file, and links at the names of files beside it, which are not followed.
    private mutating func addNames(_ path: String) {
        do {
            try StoreProbe.checkNames(path)
        } catch {
            findings.append(.wrong(error))
        }
        for name in [path + "-coexist", StoreQueue.path(of: path), NoticeFolder.path(of: path)] {
            var info = stat()
            guard lstat(name, &info) == 0, info.st_mode & S_IFMT == S_IFLNK else { continue }
            findings.append(
                .wrong(
                    "SideFileLink", "\(name) is a link, and is not followed: what lies beside a store is its own",
                    way: "remove it while no program has the store open"))
        }
    }

    private mutating func addHeader(_ path: String) {
        // Nil, as everything else that is read raw, where this process has the file open.
        let header = RawFile.read(path) { path -> [UInt8] in
            guard let file = FileHandle(forReadingAtPath: path) else { return [] }
            defer { try? file.close() }
            return [UInt8]((try? file.read(upToCount: 100)) ?? Data())
        }
        guard let header, header.count == 100 else { return }
        let size = Int(header[16]) << 8 | Int(header[17])
        add("pageSize", JSON(size == 1 ? 65_536 : size))
        add("journalMode", header[18] == 2 ? "wal" : "rollback")
    }

    private mutating func addSidecars(_ path: String) {
        let main = FileState(path)
        for (name, suffix) in [("file", ""), ("wal", "-wal"), ("shm", "-shm"), ("journal", "-journal")] {
            guard let state = FileState(path + suffix) else {
                add(name, .null, "none")
                continue
            }
            add(name, state.json, state.text)
            guard let main, !suffix.isEmpty else { continue }
            if state.owner != main.owner || state.group != main.group || state.mode != main.mode {
                findings.append(
                    .wrong(
                        "SidecarOwner",
                        "\(path)\(suffix) is \(state.access), and the store \(main.access): not everybody who may write "
                            + "the one may write the other",
                        way: "give it the store's owner, group and permissions"))
            }
        }
        if let journal = FileState(path + "-journal"), journal.size > 0 {
            findings.append(
                .note(
                    "RollbackJournal", "\(path)-journal is there: a transaction is running, or was cut off",
                    way: "the next program that opens the store undoes what was cut off"))
        }
    }

    private mutating func addFolder(_ path: String) {
        let folder = RealPath.folder(of: path)
        if let state = FileState(folder) { add("folder", state.json, state.text) }
        let isWritable = access(folder, W_OK) == 0 && access(path, W_OK) == 0
        add("writable", .bool(isWritable), isWritable ? "by this user" : "not by this user")
        guard let system = FileSystem(folder) else { return }
        add("fileSystem", .string(system.name), "\(system.name) (\(system.kind.rawValue))")
        add("freeBytes", JSON(system.free))
        switch system.kind {
        case .local: break
        case .network:
            findings.append(
                .wrong(
                    "NetworkFileSystem",
                    "\(folder) is on \(system.name), a network file system: its locks and shared memory do not hold "
                        + "between machines, and the store can be damaged",
                    way: "move the store to a disk of this machine"))
        case .layered, .unknown:
            findings.append(
                .note(
                    "UnknownFileSystem",
                    "\(folder) is on \(system.name): whether locks and shared memory hold depends on what is behind it",
                    way: "have every program reach the store through the same mount"))
        }
        if system.isReadOnly {
            findings.append(
                .wrong("ReadOnlyFileSystem", "\(folder) is mounted read-only", way: "mount it for writing"))
        }
        let log = UInt64(FileState(path + "-wal")?.size ?? 0)
        if system.free < max(64 << 20, log) {
            findings.append(
                .wrong(
                    "LittleSpace", "\(system.free) bytes are left on the disk of \(folder)",
                    way: "free some: a save that finds the disk full is refused"))
        }
    }
}

/// What the file system says of a file. Nothing is opened.
struct FileState {
    let size: Int
    let owner: UInt32
    let group: UInt32
    let mode: UInt32

    init?(_ path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        size = Int(info.st_size)
        owner = info.st_uid
        group = info.st_gid
        mode = info.st_mode & 0o7777
    }

    /// Owner, group and permissions: `0:0 0644`.
    var access: String {
        let digits = String(mode, radix: 8)
        return "\(owner):\(group) " + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    var text: String { "\(size) bytes, \(access)" }
    var json: JSON {
        [
            "bytes": JSON(size), "owner": JSON(Int(owner)), "group": JSON(Int(group)),
            "mode": .string(String(mode, radix: 8)),
        ]
    }
}
