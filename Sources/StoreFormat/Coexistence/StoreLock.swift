import Foundation
import Synchronization

/// The lock file beside a store, `STORE-coexist`: one daemon a store. It goes with the process, however that ends.
public final class StoreLock: Sendable {
    private let descriptor: Mutex<Int32>
    /// The lock file's path.
    public let path: String

    /// Takes the lock.
    /// - Throws: `StoreError` `Busy`, naming the process that holds it.
    public init(storePath: String) throws {
        path = Self.path(of: storePath)
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
        guard descriptor >= 0 else {
            throw StoreError(
                .accessDenied, "the lock file \(path) cannot be made: \(String(cString: strerror(errno)))",
                way: "make the store's folder writable")
        }
        guard Self.take(descriptor) else {
            close(descriptor)
            let holder = Self.holder(of: storePath).map { "process \($0)" } ?? "another process"
            throw StoreError(
                .busy, "\(storePath) is held by \(holder), a Coexist daemon or command",
                way: "use `coexistctl` with its socket, or stop it first")
        }
        self.descriptor = Mutex(descriptor)
        let text = Array("\(getpid())\n".utf8)
        ftruncate(descriptor, 0)
        _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit {
        release()
    }

    /// Gives the lock back. Harmless when it has been already.
    public func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            ftruncate(descriptor, 0)
            close(descriptor)
            descriptor = -1
        }
    }

    /// Tries for a tenth of a second: who only asks whether the lock is held has it for an instant.
    private static func take(_ descriptor: Int32) -> Bool {
        for attempt in 0..<20 {
            if attempt > 0 { usleep(5_000) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        }
        return false
    }

    /// Beside the file itself, by whatever name or link the store is opened: all must mean the same lock.
    private static func path(of storePath: String) -> String {
        guard let real = realpath(storePath, nil) else { return storePath + "-coexist" }
        defer { free(real) }
        return String(cString: real) + "-coexist"
    }

    /// Whether some process holds the store's lock now. A lock file that may not be opened counts as held: nothing is
    /// known of it.
    public static func isHeld(storePath: String) -> Bool {
        let descriptor = open(path(of: storePath), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return errno != ENOENT }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
        return false
    }

    /// The process that says that it holds the lock.
    public static func holder(of storePath: String) -> Int32? {
        guard let text = try? String(contentsOfFile: path(of: storePath), encoding: .utf8) else { return nil }
        return Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }
}
