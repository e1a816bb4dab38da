import Foundation

/// Who may read and write a store, and so whatever is made beside it or copied from it: a copy must not tell anybody what
/// the store does not.
struct StoreAccess: Sendable, Hashable {
    private let owner: uid_t
    private let group: gid_t
    private let mode: mode_t

    /// Of the file at a path, links followed; nil where there is none.
    init?(of path: String) {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        (owner, group, mode) = (info.st_uid, info.st_gid, info.st_mode & 0o666)
    }

    private init(_ access: StoreAccess, adding bits: mode_t) {
        (owner, group, mode) = (access.owner, access.group, access.mode | bits)
    }

    /// The same, and the owner may write: a backup that is kept read-only becomes a store again.
    var writable: StoreAccess { StoreAccess(self, adding: 0o600) }

    /// Gives a file the store's owner, group and mode, as far as this user may.
    func give(to file: String) { give(mode, to: file) }

    /// Gives a folder the same: who may read the store may look into it.
    func give(toFolder folder: String) { give(mode | (mode & 0o444) >> 2 | 0o700, to: folder) }

    private func give(_ mode: mode_t, to path: String) {
        // Only root gives files away; the group may be any of the user's.
        if lchown(path, owner, group) != 0 { _ = lchown(path, uid_t.max, group) }
        var info = stat()
        guard lstat(path, &info) == 0, info.st_mode & S_IFMT != S_IFLNK else { return }
        // Another group may do no more than anybody else.
        chmod(path, info.st_gid == group ? mode : mode & (~0o070 | (mode & 0o007) << 3))
    }
}
