import CLinux
import Foundation

/// Gives things names that nobody has.
enum NewName {
    /// Renames a file or folder; what has the new name stays.
    /// - Throws: `StoreError`: `AlreadyExists` where something has it.
    static func give(_ name: String, to old: String) throws {
        if coexist_rename_new(old, name) == 0 { return }
        var number = errno
        // Some file systems know no such call, and some of those no links.
        if [ENOSYS, EINVAL, ENOTSUP].contains(number) {
            if link(old, name) == 0 {
                unlink(old)
                return
            }
            number = errno
            if [EPERM, ENOSYS, ENOTSUP].contains(number), !StoreProbe.isTaken(name) {
                if rename(old, name) == 0 { return }
                number = errno
            }
        }
        guard number != EEXIST else { throw StoreError.taken(name) }
        throw StoreError(writing: name, errno: number)
    }
}

extension StoreError {
    /// Something lies where a new store or copy should.
    static func taken(_ path: String) -> StoreError {
        StoreError(.alreadyExists, "\(path) exists already", way: "give another path, or move the file away")
    }
}
