import Foundation
import SQLite
import TestKit
import Testing

/// A program that is none of ours has the lock: the `sqlite3` shell.
@Suite
struct LockHolderTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func refusal(_ connection: Connection) -> LockHolder? {
        let error = #expect(throws: SQLiteError.self) { try connection.begin(.immediate) }
        #expect(error?.isBusy == true)
        return error?.holder
    }

    @Test("a busy error names the process that holds the lock, in both journal modes", arguments: ["wal", "delete"])
    func stranger(_ journal: String) throws {
        let connection = try database.connect(busyTimeout: 20)
        try connection.execute("PRAGMA journal_mode=\(journal); CREATE TABLE t (a)")
        let shell = try HoldingShell(database.path)
        let id = shell.processIdentifier
        let before = Date()
        let holder = try #require(refusal(connection))
        #expect(holder.processID == id)
        #expect(holder.processName == "sqlite3")
        #expect(!holder.isStopped)
        #expect(holder.isSinceSeen && holder.since.map { $0 > before.addingTimeInterval(-1) } == true)
        #expect("\(holder)".hasPrefix("process \(id) (sqlite3) since 2"))
        #expect("\(holder)".hasSuffix("Z or before"))
        // What was asked has cost this process none of its locks: the shell still keeps us out.
        #expect(refusal(connection)?.processID == id)
    }

    @Test("one that was stopped inside its transaction is said to be stopped")
    func stopped() throws {
        let connection = try database.connect(busyTimeout: 20)
        try connection.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a)")
        let shell = try HoldingShell(database.path)
        let id = shell.processIdentifier
        shell.stop()
        let holder = try #require(refusal(connection))
        #expect(holder.processID == id && holder.isStopped)
        #expect("\(holder)".contains("process \(id) (sqlite3), which is stopped, since "))
    }

    @Test("a connection of this process is named by its label, and since when it has the lock")
    func own() throws {
        let one = try database.connect()
        try one.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (a)")
        one.useQueue(database.path + "-queue", label: "the first")
        let two = try database.connect(busyTimeout: 20)
        two.useQueue(database.path + "-queue", label: "the second")
        let before = Date()
        try one.begin(.immediate)
        let holder = try #require(refusal(two))
        #expect(holder.processID == getpid())
        #expect(holder.label == "the first")
        #expect(!holder.isSinceSeen)
        let since = try #require(holder.since)
        #expect(since >= before.addingTimeInterval(-0.001) && since <= Date())
        #expect("\(holder)".hasPrefix("this process (\(getpid())), the first, since "))
    }

    @Test("a name with parentheses and spaces is read whole")
    func names() throws {
        let state = try #require(ProcessState(getpid()))
        #expect(!state.isStopped && !state.name.isEmpty)
        #expect(ProcessState(-1) == nil)
    }
}
