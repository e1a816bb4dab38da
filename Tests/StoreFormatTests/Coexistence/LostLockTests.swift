import Foundation
import StoreFormat
import TestKit
import Testing

/// A lock file that is removed, or replaced, while it is locked.
@Suite struct LostLockTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("store.sqlite")
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test func itIsTakenAgainWhereTheFileIsGone() throws {
        let lock = try StoreLock(storePath: path)
        #expect(try lock.check())
        try FileManager.default.removeItem(atPath: lock.path)
        #expect(!StoreLock.isHeld(storePath: path))
        #expect(try !lock.check())
        #expect(try lock.check())
        #expect(StoreLock.holder(of: path) == getpid())
        expectStoreError(.busy) { _ = try StoreLock(storePath: path) }
        lock.release()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    }

    @Test func itIsLostWhereSomebodyElseHasIt() throws {
        let lock = try StoreLock(storePath: path)
        try FileManager.default.removeItem(atPath: lock.path)
        let other = try StoreLock(storePath: path)
        expectStoreError(.lockLost) { _ = try lock.check() }
        lock.release()
        #expect(StoreLock.isHeld(storePath: path))
        other.release()
    }

    /// A daemon takes the lock again within a second: who comes before that neither gets it nor calls it free.
    @Test func aDaemonThatListensHasItStill() throws {
        let sample = try SampleStore()
        let lock = try StoreLock(storePath: sample.path)
        let watcher = try CommitWatcher(store: sample.store, isDaemon: true) { _ in }
        watcher.start()
        try FileManager.default.removeItem(atPath: lock.path)
        #expect(StoreLock.isHeld(storePath: sample.path))
        expectStoreError(.busy) { _ = try StoreLock(storePath: sample.path) }
        watcher.stop()
        #expect(!StoreLock.isHeld(storePath: sample.path))
        try StoreLock(storePath: sample.path).release()
    }
}
