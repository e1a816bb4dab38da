import Bridge
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Entries of the register, or the state's row, that somebody removed: an adopted store is never called one that is not.
@Suite struct LostRegisterTests {
    private static func adopted() throws -> BridgeSample {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        bridge.close()
        return sample
    }

    /// With what follows from the model, and what is somebody's choice.
    static let losses = [
        ("DELETE FROM COEXIST_ENTITY", true), ("DELETE FROM COEXIST_ENTITY WHERE NAME = 'Tag'", true),
        ("DELETE FROM COEXIST_JOIN", true), ("DELETE FROM COEXIST_UNIT", false),
        ("DELETE FROM COEXIST_UNIT WHERE NAME = 'Tag'", false),
    ]

    @Test(arguments: losses)
    func itIsToldAndTheWayThatItNamesWorks(sql: String, isMendable: Bool) throws {
        let sample = try Self.adopted()
        let before = try sample.rows("SELECT * FROM COEXIST_ENTITY ORDER BY 1")
        let joins = try sample.rows("SELECT * FROM COEXIST_JOIN ORDER BY 1")
        try sample.foreign(sql)
        let bridge = try sample.open { $0.guardMode = .off }
        #expect(bridge.problem?.code == .damaged)
        #expect(bridge.problem?.way.contains("--repair") == isMendable)
        #expect(bridge.problem?.way.contains("coexistctl release") == true)
        let error = #expect(throws: StoreError.self) { try bridge.legacy.insert("Tag", ["name": .string("b")]) }
        #expect(error?.code != .notAdopted)
        if !sql.contains("JOIN") {
            #expect(throws: StoreError.self) { try bridge.unit(of: "Tag") }
        }
        bridge.close()
        let done = try RegisterRepair.repair(Store.open(sample.path))
        #expect(done.isEmpty != isMendable)
        if isMendable {
            #expect(try sample.rows("SELECT * FROM COEXIST_ENTITY ORDER BY 1") == before)
            #expect(try sample.rows("SELECT * FROM COEXIST_JOIN ORDER BY 1") == joins)
        } else {
            #expect(try Release.release(sample.path).wasAdopted)
        }
        let again = try sample.open { $0.guardMode = .off }
        defer { again.close() }
        #expect(again.problem == nil)
        try again.legacy.insert("Tag", ["name": .string("b")])
        #expect(try again.verify() == [])
    }

    @Test(arguments: losses)
    func itIsNoticedWhileTheStoreIsOpen(sql: String, isMendable: Bool) throws {
        let sample = try Self.adopted()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        try sample.foreign(sql)
        #expect(eventually { bridge.problem?.code == .damaged })
    }

    @Test func aStackOfItsOwnSaysSoToo() throws {
        let sample = try Self.adopted()
        try sample.foreign("DELETE FROM COEXIST_ENTITY WHERE NAME = 'Tag'")
        let instance = try LegacyInstance(store: Store.open(sample.path))
        defer { instance.close() }
        let error = #expect(throws: StoreError.self) { try instance.insert("Tag", ["name": .string("b")]) }
        #expect(error?.code == .damaged && error?.way.contains("--repair") == true)
        try instance.insert("Shelf", ["label": .string("b")])
    }

    @Test func aStateWithoutItsRowIsReleased() throws {
        let sample = try Self.adopted()
        try sample.foreign("DELETE FROM COEXIST_STATE")
        let error = #expect(throws: StoreError.self) { try sample.open() }
        #expect(error?.way.contains("coexistctl release") == true)
        #expect(try Release.release(sample.path).wasAdopted)
        #expect(try sample.rows("SELECT name FROM sqlite_master WHERE name GLOB 'COEXIST*'").isEmpty)
        let bridge = try sample.open()
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("b")])
        #expect(try sample.rows("SELECT ZNAME FROM ZTAG ORDER BY 1") == [["a"], ["b"]])
    }
}
