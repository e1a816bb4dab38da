import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// A store in which damage was met is closed as it is: what a log that is damaged, or goes with a damaged file, would
/// overwrite may be the last that is sound.
@Suite struct TroubledCloseTests {
    @Test func aLogThatWasCutIsNotMovedIntoASoundFile() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        for i in 0..<200 {
            try bridge.legacy.insert("Tag", ["name": .string("\(i)" + String(repeating: "x", count: 200))])
        }
        #expect(try bridge.checkpoint().isComplete)
        for i in 0..<20 { try bridge.legacy.insert("Shelf", ["label": .string("\(i)")]) }
        try cut(sample.path + "-wal", to: 0)
        #expect(throws: StoreError.self) {
            _ = try bridge.read { try $0.query("SELECT count(*), max(ZLABEL) FROM ZSHELF NOT INDEXED") }
        }
        #expect(throws: StoreError.self) { try bridge.legacy.insert("Shelf", ["label": .string("x")]) }
        #expect(bridge.problem?.code == .damaged)
        let before = try Data(contentsOf: URL(fileURLWithPath: sample.path))
        bridge.close()
        #expect(try Data(contentsOf: URL(fileURLWithPath: sample.path)) == before)
        #expect(try Programs.sqlite3(sample.path, "PRAGMA integrity_check").output == "ok\n")
    }

    @Test func theLogOfADamagedFileStays() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        for i in 0..<400 {
            try bridge.legacy.insert("Tag", ["name": .string("\(i)" + String(repeating: "x", count: 200))])
        }
        #expect(try bridge.checkpoint().isComplete)
        try bridge.legacy.insert("Shelf", ["label": .string("keep")])
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: sample.path))
        let size = try file.seekToEnd()
        for page in stride(from: UInt64(4096 * 8), to: size, by: 4096) {
            try file.seek(toOffset: page)
            try file.write(contentsOf: Data(repeating: 0xff, count: 4096))
        }
        try file.close()
        #expect(throws: StoreError.self) {
            _ = try bridge.read { try $0.query("SELECT count(*), max(ZNAME) FROM ZTAG NOT INDEXED") }
        }
        #expect(bridge.problem?.code == .damaged)
        let names = [sample.path, sample.path + "-wal"]
        let before = try names.map { try Data(contentsOf: URL(fileURLWithPath: $0)) }
        bridge.close()
        #expect(try names.map { try Data(contentsOf: URL(fileURLWithPath: $0)) } == before)
    }

    private func cut(_ path: String, to bytes: UInt64) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: bytes)
        try file.close()
    }
}
