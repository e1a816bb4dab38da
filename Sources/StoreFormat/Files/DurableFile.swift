import Foundation

/// What is on the disk when it returns: a power cut does not take it back.
enum DurableFile {
    /// Syncs a file's bytes, and its name.
    /// - Throws: what the system reports.
    static func synchronize(_ path: String) throws {
        if let file = FileHandle(forUpdatingAtPath: path) {
            try file.synchronize()
            try file.close()
        }
        synchronizeFolder(of: path)
    }

    /// A new name is on the disk only when its folder is.
    static func synchronizeFolder(of path: String) {
        synchronizeNames(in: URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    /// Syncs the names in a folder.
    static func synchronizeNames(in folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
