import Foundation
import Varlink

/// `key:=@FILE`: a file's bytes as the value of a property.
enum FileValue {
    /// What goes into the longest message that a daemon can be told to take: base64 makes four bytes of three.
    static let maximumBytes = (16 << 20) / 4 * 3 - 4_096

    /// The value, as the daemon takes it.
    /// - Parameter path: the file's, or `-` for standard input.
    /// - Throws: `CommandFailure` `FileUnreadable`, `MessageTooLong`.
    static func json(_ path: String, of key: some StringProtocol) throws -> JSON {
        let data = try bytes(path, key)
        guard data.count <= maximumBytes else {
            throw CommandFailure(
                exitCode: 1, code: "MessageTooLong",
                message:
                    "\(path), the value of \(key), is longer than the \(maximumBytes) bytes that a message has room for",
                way: "set it from a program that uses the library")
        }
        return ["$bytes": .string(data.base64EncodedString())]
    }

    private static func bytes(_ path: String, _ key: some StringProtocol) throws -> Data {
        func unreadable(_ why: String) -> CommandFailure {
            CommandFailure(
                exitCode: 2, code: "FileUnreadable", message: "'\(path)', the value of \(key), cannot be read: \(why)",
                way: "give a file that can be read: \(key):=@FILE")
        }
        if path.isEmpty { throw unreadable("there is no name behind @") }
        let descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(String(cString: strerror(errno))) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw unreadable("it is a folder") }
        var data = Data()
        do {
            while data.count <= maximumBytes, let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
                data += piece
            }
        } catch {
            throw unreadable("\(error.localizedDescription)")
        }
        return data
    }
}
