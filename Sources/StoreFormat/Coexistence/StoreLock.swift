import Foundation
import SQLite
import Synchronization

/// The lock file beside a store, `STORE-coexist`: one daemon a store. It goes with the process, however that ends.
///
/// The file is there while somebody has the lock; who gives it back removes it. So a process may have opened a file that is
/// removed before it gets its lock: a lock counts only where the file is still the one at the path, and whoever has it
/// removes the file as the last thing that it does under it.
public final class StoreLock: Sendable {
    private let descriptor: Mutex<Int32>
    /// The lock file's path.
    public let path: String

    /// Takes the lock.
    /// - Throws: `StoreError` `Busy`, naming the process that holds it.
    public init(storePath: String) throws {
        path = Self.path(of: storePath)
        descriptor = Mutex(try Self.take(path, storePath))
    }

    deinit {
        release()
    }

    /// Gives the lock back. Nothing may follow that needs it. Harmless when it has been already.
    public func release() {
        descriptor.withLock { descriptor in
            guard descriptor >= 0 else { return }
            if Self.isAt(path, descriptor) { unlink(path) }
            close(descriptor)
            descriptor = -1
        }
    }

    private static func take(_ path: String, _ storePath: String) throws -> Int32 {
        // Each turn but the last is one in which somebody else had the lock and gave it back.
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o660)
            guard descriptor >= 0 else { throw StoreError(writing: path, errno: errno, otherwise: .accessDenied) }
            guard isLocked(descriptor) else {
                close(descriptor)
                throw StoreError.held(storePath)
            }
            guard isAt(path, descriptor) else {
                close(descriptor)
                continue
            }
            let text = Array("\(getpid())\n\(ProcessNamespace.own)\n".utf8)
            ftruncate(descriptor, 0)
            _ = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
            return descriptor
        }
    }

    /// Tries for a tenth of a second: who only asks whether the lock is held has it for an instant.
    private static func isLocked(_ descriptor: Int32) -> Bool {
        for attempt in 0..<20 {
            if attempt > 0 { usleep(5_000) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        }
        return false
    }

    /// Whether the open file is the one that others find at the path.
    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (here, there) = (stat(), stat())
        return fstat(descriptor, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino
            && here.st_dev == there.st_dev
    }

    /// Beside the file itself, by whatever name or link the store is opened: all must mean the same lock.
    private static func path(of storePath: String) -> String { RealPath.of(storePath) + "-coexist" }

    /// Whether some process holds the store's lock now. A lock file that may not be opened counts as held: nothing is
    /// known of it.
    public static func isHeld(storePath: String) -> Bool {
        let path = path(of: storePath)
        while true {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno != ENOENT }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
            if isAt(path, descriptor) { return false }
        }
    }

    /// The process that says that it holds the lock; nil for one in another namespace, whose number says nothing here.
    public static func holder(of storePath: String) -> Int32? {
        guard let text = try? String(contentsOfFile: path(of: storePath), encoding: .utf8) else { return nil }
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let namespace = lines.dropFirst().first.flatMap { UInt32($0) } ?? 0
        return ProcessNamespace.isOwn(namespace) ? lines.first.flatMap { Int32($0) } : nil
    }
}
