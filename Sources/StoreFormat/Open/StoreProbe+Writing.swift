import Foundation
import SQLite

extension StoreProbe {
    /// Looks whether the store may be opened for writing, before anything is made beside it. SQLite opens what may not be
    /// written for reading, and makes its sidecars with the same permissions: then nobody can write any more. What is not
    /// there is no trouble here.
    /// - Throws: `StoreError`: `HardLinked`, or `ReadOnly` for a store, or a file of SQLite's beside it, that this user may
    ///   not write.
    public static func checkWritable(_ path: String) throws {
        let path = RealPath.of(path)
        try checkNames(path)
        for suffix in [""] + StoreNames.sidecars { try checkAccess(path + suffix, path) }
    }

    /// Looks whether the file has one name. Beside a second one others keep a log, a lock and a queue of their own, and two
    /// programs write without knowing of each other.
    /// - Throws: `StoreError` `HardLinked`.
    public static func checkNames(_ path: String) throws {
        guard let names = names(of: path), names > 1 else { return }
        throw StoreError(
            .hardLinked,
            "\(path) has \(names) names (hard links): who opens it by another has another log and another lock, and commits "
                + "get lost",
            way: "copy it (`coexistctl backup \(path) COPY`) and write the copy, or remove the other name "
                + "(`find FOLDER -samefile \(path)`)")
    }

    /// How many names a file has; nil where there is none. One that a restore was giving it, and which goes when the store
    /// is opened by who has its lock, does not count.
    public static func names(of path: String) -> Int? {
        let path = RealPath.of(path)
        var info = stat()
        guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
        let isBeingReplaced = FileIdentity(StoreLeftovers.replacedPath(of: path)) == FileIdentity(path)
        return Int(info.st_nlink) - (isBeingReplaced ? 1 : 0)
    }

    /// Looks whether a reader would make SQLite's index beside a store that it may not write: with the permissions that
    /// it has, and so one that the store's owner may not write.
    /// - Throws: `StoreError` `ReadOnly`.
    static func checkReadable(_ path: String) throws {
        let path = RealPath.of(path)
        guard !mayWrite(path), FileIdentity(path + "-shm") == nil, mayWrite(RealPath.folder(of: path)),
            RawFile.read(path, { QuietStore.isWAL($0) }) ?? false
        else { return }
        throw StoreError(
            .readOnly,
            "\(path) may not be written by this user, and no program has it open: to read it like this would leave files "
                + "beside it that its owner may not write",
            way: "open it read-only, read it with coexistctl, or run as its owner")
    }

    private static func mayWrite(_ path: String) -> Bool { faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 }

    private static func checkAccess(_ name: String, _ path: String) throws {
        guard !mayWrite(name) else { return }
        let number = errno
        if number == EROFS { throw StoreError(writing: name, errno: number) }
        var info = stat()
        guard number == EACCES || number == EPERM, stat(name, &info) == 0 else { return }
        let kind = "\(info.st_uid):\(info.st_gid) \(String(info.st_mode & 0o7777, radix: 8))"
        guard name != path else {
            throw StoreError(
                .readOnly, "\(path) may not be written by user \(geteuid()): it is \(kind)",
                way: "run as its owner, or change its permissions")
        }
        throw StoreError(
            .readOnly,
            "\(path) cannot be written: \(name) beside it may not be written by user \(geteuid()), it is \(kind)",
            way: "give it the store's owner and permissions: "
                + "`chown --reference=\(path) \(name); chmod --reference=\(path) \(name)`")
    }
}
