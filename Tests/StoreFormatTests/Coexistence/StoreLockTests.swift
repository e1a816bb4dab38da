import Foundation
import StoreFormat
import Synchronization
import TestKit
import Testing

/// The lock file: one holder, whatever comes between opening, locking and removing it.
@Suite struct StoreLockTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("store.sqlite")
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test func theFileGoesWithItsHolder() throws {
        let lock = try StoreLock(storePath: path)
        #expect(FileManager.default.fileExists(atPath: lock.path))
        #expect(StoreLock.holder(of: path) == getpid())
        expectStoreError(.busy) { _ = try StoreLock(storePath: path) }
        lock.release()
        lock.release()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
        #expect(!StoreLock.isHeld(storePath: path))
    }

    @Test func whatAHolderThatWasKilledLeftIsTakenOver() throws {
        try Data("4711\n".utf8).write(to: URL(fileURLWithPath: path + "-coexist"))
        #expect(!StoreLock.isHeld(storePath: path))
        let lock = try StoreLock(storePath: path)
        #expect(StoreLock.holder(of: path) == getpid())
        lock.release()
    }

    @Test func aLockOnAFileThatWasRemovedMeanwhileIsNone() throws {
        let first = try StoreLock(storePath: path)
        // Who opened the file before it was removed has the lock of nothing.
        let late = open(first.path, O_RDWR)
        defer { close(late) }
        first.release()
        #expect(flock(late, LOCK_EX | LOCK_NB) == 0)
        let second = try StoreLock(storePath: path)
        #expect(StoreLock.isHeld(storePath: path))
        expectStoreError(.busy) { _ = try StoreLock(storePath: path) }
        second.release()
    }

    @Test func aFileThatSomebodyElseMadeInItsPlaceIsNotRemoved() throws {
        let first = try StoreLock(storePath: path)
        try FileManager.default.removeItem(atPath: first.path)
        let second = try StoreLock(storePath: path)
        first.release()
        #expect(StoreLock.isHeld(storePath: path))
        expectStoreError(.busy) { _ = try StoreLock(storePath: path) }
        second.release()
    }

    @Test func manyWhoTakeItAndGiveItBackNeverHaveItTogether() throws {
        let inside = Atomic<Int>(0)
        let together = Atomic<Int>(0)
        let taken = Atomic<Int>(0)
        let path = path
        DispatchQueue.concurrentPerform(iterations: 6) { _ in
            for _ in 0..<300 {
                guard let lock = try? StoreLock(storePath: path) else { continue }
                if inside.add(1, ordering: .sequentiallyConsistent).newValue > 1 {
                    together.add(1, ordering: .relaxed)
                }
                taken.add(1, ordering: .relaxed)
                sched_yield()
                inside.subtract(1, ordering: .sequentiallyConsistent)
                lock.release()
            }
        }
        #expect(together.load(ordering: .relaxed) == 0)
        #expect(taken.load(ordering: .relaxed) > 300)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    }

    // MARK: A lock file that is removed, or replaced, while it is locked

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
