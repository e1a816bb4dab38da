import Foundation
import Synchronization

/// Reading a database's bytes without SQLite, where that is safe.
///
/// POSIX locks belong to a process and a file: closing any descriptor of the file drops them all, and another process'
/// commit can then overwrite ours. So a file is read raw only while this process has no connection to it, and no
/// connection opens meanwhile.
public enum RawFile {
    private static let open = Mutex<[FileIdentity: Int]>([:])

    /// Runs the body with the path while no connection of this process has the file open.
    /// - Returns: nil, without running the body, where one has.
    public static func read<T>(_ path: String, _ body: (String) throws -> T) rethrows -> T? {
        try open.withLock { files in
            if let identity = FileIdentity(path), files[identity] != nil { return nil }
            return try body(path)
        }
    }

    /// A connection's share in an open file; given back when the connection has closed.
    final class Lease {
        let identity: FileIdentity?

        private init(_ identity: FileIdentity?) {
            self.identity = identity
        }

        /// Opens through the body while no raw read is running.
        static func take<T>(_ path: String, _ body: () throws -> T) rethrows -> (Lease, T) {
            try RawFile.open.withLock { files in
                let result = try body()
                let identity = FileIdentity(path)
                if let identity { files[identity, default: 0] += 1 }
                return (Lease(identity), result)
            }
        }

        deinit {
            guard let identity else { return }
            RawFile.open.withLock { files in
                files[identity] = (files[identity] ?? 1) == 1 ? nil : files[identity].map { $0 - 1 }
            }
        }
    }
}
