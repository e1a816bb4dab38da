import Foundation
import SQLite
import StoreFormat
import Synchronization
import TestKit
import Testing

@Suite struct CommitWatcherTests {
    /// What a watcher found, as words.
    private final class Findings: Sendable {
        private let all = Mutex<[String]>([])

        func add(_ finding: CommitCounts.Finding) {
            all.withLock { $0.append("\(finding)") }
        }

        var words: [String] { all.withLock { $0 } }
    }

    private func watching(_ store: Store, _ body: (Findings) throws -> Void) throws {
        let findings = Findings()
        let watcher = try CommitWatcher(store: store) { findings.add($0) }
        watcher.start()
        defer { watcher.stop() }
        try body(findings)
    }

    private static let write = "UPDATE Z_METADATA SET Z_VERSION = 1"

    @Test func commitsByAnotherProgramAreNoticedAndCounted() throws {
        let sample = try SampleStore()
        try watching(sample.store) { (findings) throws in
            #expect(try Programs.sqlite3(sample.path, "\(Self.write); \(Self.write)").exitCode == 0)
            // Two statements are two commits; they may be found at one look or at two.
            let expected = [["untracked(2)"], ["untracked(1)", "untracked(1)"]]
            #expect(eventually { expected.contains(findings.words) }, "\(findings.words)")
        }
    }

    @Test func aCommitThatHistoryTellsOfIsNoAlarm() throws {
        let sample = try SampleStore()
        try watching(sample.store) { (findings) throws in
            let sql = """
                BEGIN IMMEDIATE; \(Self.write);
                INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (1, 16002, 1.5); COMMIT
                """
            #expect(try Programs.sqlite3(sample.path, sql).exitCode == 0)
            let isOne = eventually { findings.words.count == 1 && findings.words[0].hasPrefix("committed(") }
            #expect(isOne, "\(findings.words)")
            #expect(findings.words.first?.contains("hasForeign: true") == true)
        }
    }

    /// The event of a commit that is being written can be drained with one that has been found.
    @Test func afterAFindingTheWatcherWaitsForWhatIsStillBeingWritten() throws {
        let sample = try SampleStore()
        let (isHeld, isReleased) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let findings = Findings()
        let looks = Mutex(0)
        // Nobody waits for the next look that no event asks for.
        let watcher = try CommitWatcher(
            store: sample.store, poll: 600_000, afterLook: { looks.withLock { $0 += 1 } },
            report: { finding in
                findings.add(finding)
                guard findings.words.count == 1 else { return }
                isHeld.signal()
                isReleased.wait()
            })
        watcher.start()
        defer { watcher.stop() }
        #expect(try Programs.sqlite3(sample.path, Self.write).exitCode == 0)
        isHeld.wait()
        // While the watcher is held: a commit, and frames of another that is not committed yet.
        #expect(try Programs.sqlite3(sample.path, Self.write).exitCode == 0)
        let shell = try HoldingShell(
            sample.path,
            """
            PRAGMA cache_size=4; BEGIN IMMEDIATE; CREATE TABLE big (a);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50)
            INSERT INTO big SELECT zeroblob(10000) FROM n; SELECT 'held';
            """)
        isReleased.signal()
        #expect(eventually { findings.words == ["untracked(1)", "untracked(1)"] }, "\(findings.words)")
        let before = looks.withLock { $0 }
        #expect(eventually(within: 20) { looks.withLock { $0 } > before + 10 })
        shell.end()
    }

    @Test func aStoreWithARollbackJournalIsWatchedToo() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
        #expect(try Programs.sqlite3(path, "PRAGMA journal_mode=DELETE").output == "delete\n")
        try watching(try Store.open(path)) { (findings) throws in
            #expect(try Programs.sqlite3(path, Self.write).exitCode == 0)
            #expect(eventually { findings.words == ["untracked(1)"] }, "\(findings.words)")
        }
    }

    @Test func thePlaceToListenIsThereWhileSomebodyDoes() throws {
        let sample = try SampleStore()
        let folder = NoticeFolder.path(of: sample.path)
        func listeners() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0 }
        do {
            let first = try CommitWatcher(store: sample.store) { _ in }
            let second = try CommitWatcher(store: sample.store) { _ in }
            #expect(listeners() == 2)
            withExtendedLifetime((first, second)) {}
        }
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func whatAKilledListenerLeftIsRemoved() throws {
        let sample = try SampleStore()
        let folder = NoticeFolder.path(of: sample.path)
        let python = try #require(Programs.find("python3"))
        // A process that binds a socket and ends without removing it.
        let script = """
            import os, socket
            os.mkdir('\(folder)'); os.chdir('\(folder)')
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).bind('1-gone')
            """
        #expect(try Programs.run(python, ["-c", script]).exitCode == 0)
        #expect(FileManager.default.fileExists(atPath: folder + "/1-gone"))
        try sample.insert("Tag", ["name": .string("a")])
        #expect(!FileManager.default.fileExists(atPath: folder + "/1-gone"))
        NoticeFolder.remove(of: sample.path)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    /// Another history of the same length: its last transaction is another one. One without new transactions has fewer
    /// commits of ours, as when a handover is taken back with an older file.
    @Test(arguments: [false, true]) func anotherHistoryIsToldThoughItIsAsLong(isAdopted: Bool) throws {
        let sample = try SampleStore()
        if isAdopted { try sample.adopt() }
        func insert(_ name: String) throws {
            try sample.insert("Tag", ["name": .string(name)], sample.authority())
        }
        try insert("a")
        let backup = sample.folder.file("backup.sqlite")
        #expect(try Programs.sqlite3(sample.path, ".backup '\(backup)'").exitCode == 0)
        for name in ["b", "c"] { try insert(name) }
        let counts = try CommitCounts(store: sample.store)
        _ = counts.look()
        #expect(try Programs.sqlite3(sample.path, ".restore '\(backup)'").exitCode == 0)
        for name in ["x", "y", "z"] { try insert(name) }
        guard case .rewound(from: 3, to: 4)? = counts.look() else {
            Issue.record("it was not noticed")
            return
        }
        // And goes on from there.
        try insert("more")
        guard case .committed? = counts.look() else {
            Issue.record("it was not counted")
            return
        }
    }

    @Test func fewerCommitsOfOursAreAnotherHistory() throws {
        let sample = try SampleStore()
        try sample.adopt()
        try sample.insert("Tag", ["name": .string("a")], sample.authority())
        let backup = sample.folder.file("backup.sqlite")
        #expect(try Programs.sqlite3(sample.path, ".backup '\(backup)'").exitCode == 0)
        try sample.connection.execute("UPDATE COEXIST_STATE SET COMMITS = COMMITS + 1")
        let counts = try CommitCounts(store: sample.store)
        _ = counts.look()
        #expect(try Programs.sqlite3(sample.path, ".restore '\(backup)'").exitCode == 0)
        guard case .rewound(from: 1, to: 1)? = counts.look() else {
            Issue.record("it was not noticed")
            return
        }
    }
}
