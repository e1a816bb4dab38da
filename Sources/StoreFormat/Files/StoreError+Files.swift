import Foundation
import SQLite

extension StoreError {
    /// The error that a failed call of the system means: `DiskFull`, `ReadOnly` or `AccessDenied` where it is one of
    /// these.
    /// - Parameters:
    ///   - path: the file that could not be written.
    ///   - number: the system's `errno`.
    ///   - bytes: how many it would have got, where that is known.
    ///   - code: what to call any other failure.
    init(writing path: String, errno number: Int32, bytes: Int? = nil, otherwise code: Code = .inputOutput) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        switch number {
        case ENOSPC, EDQUOT:
            self.init(full: path, bytes: bytes, isQuota: number == EDQUOT)
        case EROFS:
            self.init(
                .readOnly, "\(path) cannot be written: its file system is mounted read-only",
                way: "mount it for writing, or give another folder")
        case EACCES, EPERM:
            self.init(
                .accessDenied, "\(path) may not be written", way: "check the permissions of \(folder) and what is in it"
            )
        case 0: self.init(code, "\(path) cannot be written", way: "check the folder \(folder)")
        default:
            self.init(
                code, "\(path) cannot be written: \(String(cString: strerror(number)))",
                way: "check the folder \(folder)")
        }
    }

    /// The same of an error that Foundation threw. A store's own error stays as it is.
    init(writing path: String, _ error: any Error, bytes: Int? = nil, otherwise code: Code = .inputOutput) {
        if let error = error as? StoreError {
            self = error
            return
        }
        self.init(writing: path, errno: Self.systemCode(of: error), bytes: bytes, otherwise: code)
    }

    /// A full disk, with what is left of it.
    init(full path: String, bytes: Int? = nil, isQuota: Bool = false) {
        let needed = bytes.map { "; it has \($0) bytes" } ?? ""
        let free = DiskSpace.free(at: path).map { ", with \($0) bytes free" } ?? ""
        let what = isQuota ? "this user's share of its disk is used up" : "its disk is full\(free)"
        self.init(
            .diskFull, "\(path) cannot be written: \(what)\(needed)",
            way: "free space there and try again; nothing changed")
    }

    /// The system's number behind an error of Foundation; 0 where there is none.
    private static func systemCode(of error: any Error) -> Int32 {
        if let error = error as? POSIXError { return error.code.rawValue }
        if let error = error as? SQLiteError { return error.isFull ? ENOSPC : error.systemCode }
        let error = error as NSError
        if error.domain == NSPOSIXErrorDomain { return Int32(error.code) }
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? any Error {
            let number = systemCode(of: underlying)
            if number != 0 { return number }
        }
        guard error.domain == NSCocoaErrorDomain else { return 0 }
        switch CocoaError.Code(rawValue: error.code) {
        case .fileWriteOutOfSpace: return ENOSPC
        case .fileWriteVolumeReadOnly: return EROFS
        case .fileWriteNoPermission, .fileReadNoPermission: return EACCES
        case .fileNoSuchFile, .fileReadNoSuchFile: return ENOENT
        case .fileWriteFileExists: return EEXIST
        default: return 0
        }
    }
}

/// Room on a disk.
enum DiskSpace {
    /// Bytes that may still be written where the path lies, or would lie; nil where that cannot be asked.
    static func free(at path: String) -> UInt64? {
        var folder = URL(fileURLWithPath: path)
        var info = statvfs()
        while statvfs(folder.path, &info) != 0 {
            guard folder.path != "/" else { return nil }
            folder.deleteLastPathComponent()
        }
        return UInt64(info.f_bavail) * UInt64(info.f_frsize)
    }
}
