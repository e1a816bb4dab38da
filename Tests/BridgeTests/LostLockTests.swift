import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

/// The lock file of a bridge that is open, removed or replaced.
@Suite struct LostLockTests {
    @Test func aRemovedLockFileIsTakenAgainWithAnAlarm() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        try FileManager.default.removeItem(atPath: sample.path + "-coexist")
        #expect(eventually { bridge.alarms.contains { $0.contains("the lock was taken again") } })
        let error = #expect(throws: StoreError.self) { try StoreBridge(path: sample.path) }
        #expect(error?.code == .busy)
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        bridge.close()
        #expect(!FileManager.default.fileExists(atPath: sample.path + "-coexist"))
        try sample.open().close()
    }

    @Test func whoLosesItToSomebodyElseWritesNoMore() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        // In one step, so that there is no moment at which it could be taken again.
        let file = sample.folder.file("lock")
        let other = open(file, O_RDWR | O_CREAT, 0o600)
        defer { close(other) }
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        #expect(rename(file, sample.path + "-coexist") == 0)
        #expect(eventually { bridge.problem?.code == .lockLost })
        let error = #expect(throws: StoreError.self) { try bridge.freeze("Tag") }
        #expect(error?.code == .lockLost)
        #expect(try bridge.lastTransaction() == 0)
        bridge.close()
        #expect(FileManager.default.fileExists(atPath: sample.path + "-coexist"))
    }
}
