import Foundation

/// Files and folders that only their owner can open, from the first moment on: what is to be in them may be private. Who
/// makes one widens it when it is whole, with `StoreAccess`.
enum PrivateFile {
    /// Makes a new file that holds the bytes.
    /// - Throws: what the system reports; the file is then not there, unless it was before.
    static func write(_ data: Data, to path: String) throws {
        try make(path) { try $0.write(contentsOf: data) }
    }

    /// Copies an ordinary file to a new one. A link is not followed: it may lead to what its maker may not read.
    /// - Throws: what the system reports; the new file is then not there, unless it was before.
    static func copy(_ source: String, to path: String) throws {
        let descriptor = open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let from = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { throw POSIXError(.EINVAL) }
        try make(path) { file in
            while let part = try from.read(upToCount: 1 << 20), !part.isEmpty { try file.write(contentsOf: part) }
        }
    }

    /// Makes a folder; one that is there stays as it is.
    /// - Returns: whether it is new.
    /// - Throws: what the system reports.
    @discardableResult
    static func makeFolder(_ path: String) throws -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        let number = errno
        var isFolder: ObjCBool = false
        guard number == EEXIST, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
        else { throw POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO) }
        return false
    }

    private static func make(_ path: String, _ fill: (FileHandle) throws -> Void) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try fill(file)
            try file.close()
        } catch {
            unlink(path)
            throw error
        }
    }
}
