import Foundation

/// Files for new databases.
enum NewFile {
    /// Makes an empty file that only its owner may open; what is there stays as it is. SQLite takes it for a new database,
    /// and gives its sidecars the same mode. Where it cannot be made SQLite says so next.
    static func makePrivate(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }
}
