import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// The log, where a reader keeps it from being moved into the store.
@Suite struct LogKeeperTests {
    private static let maximum = 1 << 20

    private func logBytes(_ sample: BridgeSample) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: sample.path + "-wal")[.size]) as? Int ?? 0
    }

    private func snapshot(_ sample: BridgeSample) throws -> Connection {
        let reader = try Connection(path: sample.path, mode: .readOnly)
        try reader.begin(.deferred)
        _ = try reader.scalar("SELECT count(*) FROM ZBOOK")
        return reader
    }

    private func save(_ bridge: StoreBridge, _ count: Int) throws {
        let text = String(repeating: "x", count: 20_000)
        for _ in 0..<count { try bridge.legacy.insert("Book", ["title": .string(text)]) }
    }

    @Test func aReaderThatStaysHoldsUpNoSaveAndIsTold() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.maximumLogBytes = Self.maximum }
        defer { bridge.close() }
        try save(bridge, 1)
        let reader = try snapshot(sample)
        // None is Busy: a save that is throws.
        try save(bridge, 300)
        #expect(logBytes(sample) > Self.maximum)
        #expect(eventually { bridge.alarms.contains { $0.contains("until a reader ends its transaction") } })
        #expect(bridge.logReader?.contains("\(getpid())") == true)

        reader.rollback()
        try save(bridge, 1)
        #expect(eventually { logBytes(sample) < Self.maximum })
        #expect(eventually { bridge.logReader == nil })
        #expect(bridge.alarms.count == 1, "one reader, one alarm: \(bridge.alarms)")
    }

    @Test func anotherProgramThatReadsIsNamed() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.maximumLogBytes = Self.maximum }
        defer { bridge.close() }
        try save(bridge, 1)
        let shell = try HoldingShell(sample.path, "BEGIN; SELECT count(*) > 0 FROM ZBOOK;", answer: "1")
        try save(bridge, 100)
        let name = "process \(shell.processIdentifier) (sqlite3)"
        #expect(eventually { bridge.logReader == name })
        #expect(bridge.alarms.contains { $0.contains(name) })
        // Asked for by hand, it does not take the writer's lock while it waits either.
        let result = try bridge.checkpoint(within: 0.1)
        #expect(!result.isComplete)
        try save(bridge, 1)
        shell.end()
        #expect(try bridge.checkpoint().isComplete)
    }

    @Test func theLogStaysBelowItsMaximumWhereNobodyReads() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.maximumLogBytes = Self.maximum }
        defer { bridge.close() }
        try save(bridge, 300)
        #expect(eventually { logBytes(sample) < Self.maximum })
        #expect(bridge.alarms == [])
    }
}
