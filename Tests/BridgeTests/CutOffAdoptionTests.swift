import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// A store with a rollback journal whose adoption or release was cut off: whoever comes next ends it, and the journal mode
/// from before comes back.
@Suite struct CutOffAdoptionTests {
    private func mode(_ sample: BridgeSample) throws -> String {
        try Programs.sqlite3(sample.path, "PRAGMA journal_mode").output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// As a kill leaves it after an adoption's commit, and in the middle of a release.
    private func cutOff() throws -> BridgeSample {
        let sample = try BridgeSample(journalMode: "delete")
        try sample.open().close()
        #expect(try Programs.sqlite3(sample.path, "PRAGMA journal_mode=DELETE").output == "delete\n")
        return sample
    }

    @Test func theNextStartTurnsItToWAL() throws {
        let sample = try cutOff()
        try sample.open().close()
        #expect(try mode(sample) == "wal")
        #expect(try Release.release(sample.path).journalMode == "delete")
        #expect(try mode(sample) == "delete")
    }

    @Test func theNextReleaseEndsIt() throws {
        let sample = try cutOff()
        let report = try Release.release(sample.path)
        #expect(report.wasAdopted && report.journalMode == "delete")
        #expect(try mode(sample) == "delete")
        #expect(try sample.rows("SELECT name FROM sqlite_master WHERE name LIKE 'COEXIST%'").isEmpty)
    }

    /// The mode is turned back as long as our tables say what it was.
    @Test func aReleaseThatCannotTurnTheModeBackChangesNothing() throws {
        let sample = try BridgeSample(journalMode: "delete")
        try sample.open().close()
        let reader = try HoldingShell(sample.path, "BEGIN; SELECT 'held' FROM Z_METADATA;")
        let error = #expect(throws: StoreError.self) { try Release.release(sample.path) }
        #expect(error?.code == .busy)
        reader.end()
        #expect(try sample.rows("SELECT JOURNAL_MODE FROM COEXIST_STATE") == [[.text("delete")]])
        #expect(try Release.release(sample.path).journalMode == "delete")
        #expect(try mode(sample) == "delete")
    }

    /// A kill between the copy and the commit leaves a copy that no store names; those of adoptions that came to their end
    /// have no note.
    @Test func theCopyOfAKilledAdoptionGoes() throws {
        let sample = try BridgeSample()
        let copies = ["20200101T000000Z", "20200102T000000Z"].map {
            "\(sample.path).\(AdoptionNote.label)-\($0).sqlite"
        }
        for copy in copies { try StoreBackup.copy(sample.path, to: copy) }
        AdoptionNote.write(sample.path, copy: copies[1])
        let bridge = try sample.open()
        let made = try #require(bridge.adoptionBackup)
        bridge.close()
        let files = FileManager.default
        #expect((copies + [made]).map { files.fileExists(atPath: $0) } == [true, false, true])
        // One that was killed after its commit: the copy is the store's.
        AdoptionNote.write(sample.path, copy: made)
        try sample.open().close()
        #expect(files.fileExists(atPath: made))
        #expect(try !files.contentsOfDirectory(atPath: sample.folder.path).contains { $0.hasSuffix("-adoption") })
    }

    @Test func aNoteThatNamesSomethingElseRemovesNothing() throws {
        let sample = try BridgeSample()
        let other = sample.folder.file("other.sqlite")
        try Data().write(to: URL(fileURLWithPath: other))
        for text in ["other.sqlite", "../\(sample.folder.path)/other.sqlite", other, ""] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: sample.path + "-coexist-adoption"))
            let bridge = try sample.open()
            bridge.close()
            #expect(try Release.release(sample.path).wasAdopted)
            #expect(FileManager.default.fileExists(atPath: other))
        }
    }

    @Test func whatAKilledReleaseLeftBesideTheStoreGoes() throws {
        let sample = try BridgeSample(journalMode: "delete")
        let queue = StoreQueue.path(of: sample.path)
        try Data().write(to: URL(fileURLWithPath: queue))
        #expect(try !Release.release(sample.path).wasAdopted)
        #expect(!FileManager.default.fileExists(atPath: queue))
        #expect(try mode(sample) == "delete")
    }

    /// The mode is turned back first; where the rest then fails, the store is adopted still, and so in WAL mode.
    @Test func aReleaseThatFailsAfterItTurnedTheModeLeavesWAL() throws {
        let sample = try BridgeSample(journalMode: "delete")
        try sample.open().close()
        // A table that cannot be dropped, since nothing here knows its kind.
        let row = "'table', 'COEXIST_X', 'COEXIST_X', 0, 'CREATE VIRTUAL TABLE COEXIST_X USING nowhere(x)'"
        try sample.foreign("PRAGMA writable_schema = ON; INSERT INTO sqlite_master VALUES (\(row))")
        #expect(throws: StoreError.self) { try Release.release(sample.path) }
        #expect(try mode(sample) == "wal")
        #expect(try sample.rows("SELECT JOURNAL_MODE FROM COEXIST_STATE") == [[.text("delete")]])
        try sample.foreign("PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'COEXIST_X'")
        #expect(try Release.release(sample.path).journalMode == "delete")
    }
}
