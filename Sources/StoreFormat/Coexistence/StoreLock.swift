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

    private let storePath: String

    /// Takes the lock.
    /// - Throws: `StoreError` `Busy`, naming the process that holds it; `AccessDenied` where something lies at the lock
    ///   file's path that is none.
    public init(storePath: String) throws {
        path = Self.path(of: storePath)
        self.storePath = storePath
        // A daemon whose lock file was removed a moment ago takes it again: who comes in between is not to have it.
        guard !Self.hasListeningDaemon(storePath) else { throw StoreError.held(storePath) }
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

    /// Looks whether the lock file is still the one that is locked, and takes the lock again where it is not: a lock on a
    /// file that was removed keeps nobody out.
    /// - Returns: whether it was; false where it was taken again.
    /// - Throws: `StoreError` `LockLost` where it cannot be taken again, as somebody else has it.
    public func check() throws -> Bool {
        try descriptor.withLock { descriptor in
            guard descriptor >= 0, !Self.isAt(path, descriptor) else { return true }
            do {
                let fresh = try Self.take(path, storePath)
                close(descriptor)
                descriptor = fresh
                return false
            } catch let error as StoreError {
                throw StoreError(
                    .lockLost,
                    "the lock file \(path) was removed while \(storePath) was open, and cannot be taken again: \(error.message)",
                    way: "see that one daemon alone serves the store, and restart that")
            }
        }
    }

    private static func take(_ path: String, _ storePath: String) throws -> Int32 {
        // Each turn but the last is one in which somebody else had the lock and gave it back.
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | flags, 0o660)
            guard descriptor >= 0 else {
                throw errno == ELOOP
                    ? foreign(path, "a link") : StoreError(writing: path, errno: errno, otherwise: .accessDenied)
            }
            // What is written into it must not land in a file of somebody else's.
            if let what = foreignKind(descriptor) {
                close(descriptor)
                throw foreign(path, what)
            }
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

    /// No link is followed, and no pipe waited for.
    private static let flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    /// What an open file is that is no lock file; nil for one that can be.
    private static func foreignKind(_ descriptor: Int32) -> String? {
        var info = stat()
        guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return "no file" }
        return info.st_nlink > 1 ? "a file that has another name too" : nil
    }

    private static func foreign(_ path: String, _ what: String) -> StoreError {
        StoreError(
            .accessDenied, "\(path) is \(what), and the store's lock has to be a file of its own",
            way: "remove it while no daemon serves the store")
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
        return fstat(descriptor, &here) == 0 && lstat(path, &there) == 0 && here.st_ino == there.st_ino
            && here.st_dev == there.st_dev
    }

    /// Beside the file itself, by whatever name or link the store is opened: all must mean the same lock.
    private static func path(of storePath: String) -> String { RealPath.of(storePath) + "-coexist" }

    /// Whether a daemon listens for commits. One that stops has ended that before it gives its lock back, and may be about
    /// to: it is asked again for a tenth of a second.
    private static func hasListeningDaemon(_ storePath: String) -> Bool {
        for attempt in 0..<20 {
            if attempt > 0 { usleep(5_000) }
            if !NoticeFolder.hasDaemon(of: storePath) { return false }
        }
        return true
    }

    /// Whether some process holds the store's lock now, or is a daemon that takes it again, its file having been removed. A
    /// lock file that may not be opened counts as held: nothing is known of it.
    public static func isHeld(storePath: String) -> Bool {
        let path = path(of: storePath)
        while true {
            let descriptor = open(path, O_RDONLY | flags)
            guard descriptor >= 0 else { return errno != ENOENT || NoticeFolder.hasDaemon(of: storePath) }
            defer { close(descriptor) }
            guard flock(descriptor, LOCK_SH | LOCK_NB) == 0 else { return true }
            if isAt(path, descriptor) { return NoticeFolder.hasDaemon(of: storePath) }
        }
    }

    /// The process that says that it holds the lock; nil for one in another namespace, whose number says nothing here.
    public static func holder(of storePath: String) -> Int32? {
        let descriptor = open(path(of: storePath), O_RDONLY | flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        let text = String(decoding: bytes.prefix(count), as: UTF8.self)
        let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let namespace = lines.dropFirst().first.flatMap { UInt32($0) } ?? 0
        return ProcessNamespace.isOwn(namespace) ? lines.first.flatMap { Int32($0) } : nil
    }
}
