import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// What a save that waits in vain is told.
@Suite
struct BusyTests {
    @Test("a save names the program that holds the lock, and the pending work is not lost")
    func program() throws {
        let sample = try SampleStore()
        sample.connection.busyTimeout = 20
        let shell = try HoldingShell(sample.path)
        let error = expectStoreError(.busy) { try sample.insert("Tag", ["name": .string("new")]) }
        #expect(
            error?.message.hasPrefix(
                "\(sample.path) is locked for writing by process \(shell.processIdentifier) (sqlite3) since ") == true)
        shell.end()
        try sample.insert("Tag", ["name": .string("new")])
        #expect(try sample.count("ZTAG") == 1)
    }

    @Test("a save names the stack's instance that holds the lock")
    func instance() throws {
        let sample = try SampleStore()
        let other = try StoreWriter(store: sample.store, busyTimeout: 20)
        try sample.save(SaveAuthority(stack: .model, instanceName: "the other", epochs: [:])) { _ in
            let error = expectStoreError(.busy) {
                _ = try other.save(SampleStore.authority, TransactionIdentity()) { _ in }
            }
            let name = "this process (\(getpid())), the model stack's instance the other, since "
            #expect(error?.message.contains(name) == true)
        }
    }

    @Test("of a stopped process it is said that it is stopped, and what to do")
    func stopped() throws {
        let sample = try SampleStore()
        sample.connection.busyTimeout = 20
        let shell = try HoldingShell(sample.path)
        shell.stop()
        let error = expectStoreError(.busy) { try sample.insert("Tag", ["name": .string("new")]) }
        let name = "process \(shell.processIdentifier) (sqlite3), which is stopped, since "
        #expect(error?.message.contains(name) == true)
        #expect(error?.way.hasPrefix("continue that process, or end it") == true)
        // Killed where it is: the lock is free at once, and its transaction is undone.
        shell.kill()
        try sample.insert("Tag", ["name": .string("new")])
        try sample.expectSound()
    }

    @Test("a store has one queue, by whatever link it is opened, and nobody is in it between saves")
    func oneQueue() throws {
        let sample = try SampleStore()
        try sample.insert("Tag", ["name": .string("new")])
        #expect(FileManager.default.fileExists(atPath: StoreQueue.path(of: sample.path)))
        #expect(WriterQueue.members(at: StoreQueue.path(of: sample.path)).isEmpty)
        let link = sample.folder.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sample.path)
        #expect(StoreQueue.path(of: link) == StoreQueue.path(of: sample.path))
    }

    @Test("a migration names the program that has the store open, not the one that migrates")
    func migration() throws {
        let sample = try SampleStore(Short.model(Short.entity("Note")))
        let path = sample.path
        let shell = try HoldingShell(path, "BEGIN; SELECT 'held' FROM sqlite_master LIMIT 1;")
        // As the command does.
        let lock = try StoreLock(storePath: path)
        defer { lock.release() }
        let new = Short.model(Short.entity("Note", [Short.attribute("text")]))
        let error = expectStoreError(.busy) { try StoreMigrator(path, to: new).migrate() }
        #expect(error?.message.contains("process \(shell.processIdentifier) (sqlite3)") == true)
        #expect(error?.message.contains("process \(getpid())") == false)
    }

    // MARK: In both journal modes

    private static let journals = ["wal", "delete"]

    private func sample(_ journal: String) throws -> SampleStore {
        let sample = try SampleStore()
        try sample.connection.execute("PRAGMA journal_mode=\(journal)")
        #expect(try sample.scalar("PRAGMA journal_mode") == .text(journal))
        sample.connection.busyTimeout = 20
        return sample
    }

    private func refusal(_ sample: SampleStore) -> String {
        expectStoreError(.busy) { try sample.insert("Tag", ["name": .string("new")]) }?.message ?? ""
    }

    @Test("a stranger is named, also one that only waits to commit", arguments: journals)
    func stranger(journal: String) throws {
        let sample = try sample(journal)
        let shell = try HoldingShell(sample.path)
        #expect(refusal(sample).contains("locked for writing by process \(shell.processIdentifier) (sqlite3) since "))
        shell.end()
        guard journal == "delete" else { return }
        // With a rollback journal a reader is in a writer's way as well.
        let reader = try HoldingShell(sample.path, "BEGIN; SELECT 'reads' FROM Z_METADATA;", answer: "reads")
        #expect(refusal(sample).contains("process \(reader.processIdentifier) (sqlite3)"))
        reader.end()
        try sample.insert("Tag", ["name": .string("new")])
        try sample.expectSound()
    }

    @Test(
        "one that was killed in the middle of its writing is not named, and what it wrote is undone",
        arguments: journals)
    func killed(journal: String) throws {
        let sample = try sample(journal)
        try sample.insert("Tag", ["name": .string("old")])
        // More than the shell's cache holds, so that part of it is in the file, or the log, when it is killed.
        let shell = try HoldingShell(
            sample.path,
            """
            PRAGMA cache_size=5; BEGIN IMMEDIATE; UPDATE ZTAG SET ZNAME = 'half';
            WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, 7, 1, 'name ' || i FROM n; SELECT 'held';
            """)
        #expect(refusal(sample).contains("process \(shell.processIdentifier) (sqlite3)"))
        shell.kill()
        try sample.insert("Tag", ["name": .string("new")])
        #expect(
            try sample.connection.query("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == [[.text("old")], [.text("new")]])
        try sample.expectSound()
    }

    @Test("two instances of one process name each other, where the system shows no lock", arguments: journals)
    func ownProcess(journal: String) throws {
        let sample = try sample(journal)
        let other = try StoreWriter(store: sample.store, busyTimeout: 20)
        try sample.save(SaveAuthority(stack: .model, instanceName: "the other", epochs: [:])) { _ in
            let error = expectStoreError(.busy) {
                _ = try other.save(SampleStore.authority, TransactionIdentity()) { _ in }
            }
            #expect(
                error?.message.contains("this process (\(getpid())), the model stack's instance the other, ") == true)
        }
    }
}
