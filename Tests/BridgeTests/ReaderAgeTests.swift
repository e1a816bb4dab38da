import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import Synchronization
import TestKit
import Testing

/// Readers that keep the log from being moved are ended at their maximum age.
@Suite struct ReaderAgeTests {
    private let sample: BridgeSample
    private let bridge: StoreBridge
    private let clock = StandingClock()

    init() throws {
        sample = try BridgeSample()
        bridge = try sample.open(by: clock)
        for i in 0..<5 { try bridge.legacy.insert("Tag", ["name": .string("t\(i)")]) }
        try bridge.replay()
    }

    @Test(
        "too old when somebody commits: a typed error, an alarm, and the log can be moved",
        arguments: StackName.allCases)
    func ended(stack: StackName) throws {
        defer { bridge.close() }
        let told = Mutex<[String]>([])
        bridge.setAlarmHandler { text in told.withLock { $0.append(text) } }
        var read = 0
        let error = #expect(throws: StoreError.self) {
            try bridge.instance(stack).forEachObject(of: "Tag") { _ in
                read += 1
                guard read == 2 else { return }
                clock.move(61)
                #expect(try #require(bridge.readerAge.oldest) >= .seconds(61))
                try bridge.legacy.insert("Book", ["title": .string("new")])
            }
        }
        #expect(error?.code == .readerExpired)
        #expect(error?.way.contains("readers.maximumAge") == true)
        #expect(read < 5)
        // Whoever else was reading when the clock was moved is ended as well.
        #expect(bridge.readerAge.ended >= 1)
        #expect(told.withLock { $0 }.contains { $0.contains("61 s old") })
        #expect(try bridge.checkpoint().isComplete)
        // The connection is good for the next one.
        read = 0
        try bridge.instance(stack).forEachObject(of: "Tag") { _ in read += 1 }
        #expect(read == 5)
    }

    @Test("one that is young enough reads to its end, and keeps what it saw")
    func young() throws {
        defer { bridge.close() }
        var names: [AttributeValue?] = []
        try bridge.model.forEachObject(of: "Tag") { record in
            if names.isEmpty {
                clock.move(60)
                try bridge.legacy.insert("Tag", ["name": .string("later")])
            }
            names.append(record.values["name"] ?? nil)
        }
        #expect(names.count == 5)
        #expect(bridge.readerAge.ended == 0)
    }

    @Test("a reader between two statements is ended by its next one")
    func betweenStatements() throws {
        defer { bridge.close() }
        let error = #expect(throws: StoreError.self) {
            try bridge.read { connection in
                try connection.transaction(.deferred) {
                    _ = try connection.scalar("SELECT count(*) FROM ZTAG")
                    clock.move(61)
                    try bridge.legacy.insert("Tag", ["name": .string("later")])
                    _ = try connection.scalar("SELECT count(*) FROM ZTAG")
                }
            }
        }
        #expect(error?.code == .readerExpired)
        #expect(try bridge.read { try $0.scalar("SELECT count(*) FROM ZTAG") } == .integer(6))
    }

    @Test("another program's commits count as well")
    func otherPrograms() throws {
        defer { bridge.close() }
        let embedded = try LegacyInstance(path: sample.path)
        defer { embedded.close() }
        var read = 0
        let error = #expect(throws: StoreError.self) {
            try bridge.model.forEachObject(of: "Tag") { _ in
                read += 1
                guard read == 1 else { return }
                clock.move(61)
                let result = try embedded.insert("Tag", ["name": .string("other")])
                #expect(result.key == 6)
                try bridge.replay([.legacy])
            }
        }
        #expect(error?.code == .readerExpired)
    }
}
