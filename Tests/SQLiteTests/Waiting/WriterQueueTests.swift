import Foundation
import SQLite
import Synchronization
import TestKit
import Testing

@Suite
struct WriterQueueTests {
    private let database: TestDatabase
    private let file: String

    init() throws {
        database = try TestDatabase()
        file = database.path + "-queue"
        _ = try database.prepared()
    }

    private func connect(_ label: String, busyTimeout: Int = 60_000) throws -> Connection {
        let connection = try database.connect(busyTimeout: busyTimeout)
        connection.useQueue(file, label: label)
        return connection
    }

    /// Starts a thread that writes a row when its turn comes, and returns when it is in the queue.
    private func startWriter(_ number: Int, _ done: DispatchGroup, _ failures: Failures) -> Bool {
        let before = WriterQueue.members(at: file).count
        done.enter()
        let (database, file) = (database, file)
        Thread.detachNewThread {
            defer { done.leave() }
            do {
                let connection = try database.connect(busyTimeout: 60_000)
                connection.useQueue(file, label: "writer \(number)")
                try connection.transaction(.immediate) {
                    try connection.run("INSERT INTO t VALUES (?)", [.integer(Int64(number))])
                }
            } catch { failures.add(error) }
        }
        return eventually { WriterQueue.members(at: file).count > before }
    }

    private final class Failures: Sendable {
        private let list = Mutex<[String]>([])
        var all: [String] { list.withLock { $0 } }
        func add(_ error: any Error) { list.withLock { $0.append("\(error)") } }
    }

    @Test("writers get the lock in the order in which they asked for it")
    func order() throws {
        let first = try connect("first")
        try first.begin(.immediate)
        let done = DispatchGroup()
        let failures = Failures()
        for number in 1...8 { #expect(startWriter(number, done, failures)) }
        let members = WriterQueue.members(at: file)
        #expect(members.map(\.label) == ["first"] + (1...8).map { "writer \($0)" })
        #expect(members.first?.since != nil && members.dropFirst().allSatisfy { $0.since == nil })
        try first.commit()
        // Who comes back at once is behind all of them.
        try first.transaction(.immediate) { try first.run("INSERT INTO t VALUES (9)") }
        done.wait()
        #expect(failures.all.isEmpty)
        #expect(try first.query("SELECT a FROM t ORDER BY rowid").map(\.[0]) == (1...9).map { .integer($0) })
    }

    @Test("somebody without the queue holds it up, and keeps nobody out for good")
    func stranger() throws {
        let stranger = try database.connect()
        try stranger.begin(.immediate)
        let done = DispatchGroup()
        let failures = Failures()
        for number in 1...3 { #expect(startWriter(number, done, failures)) }
        try stranger.commit()
        done.wait()
        #expect(failures.all.isEmpty)
        #expect(try stranger.scalar("SELECT count(*) FROM t") == 3)
    }

    @Test("a wait that is in vain ends at the timeout and not before, and leaves no place in the queue behind")
    func timeout() throws {
        let holder = try connect("holder")
        try holder.begin(.immediate)
        let waiter = try connect("waiter", busyTimeout: 150)
        let start = ContinuousClock.now
        let error = #expect(throws: SQLiteError.self) { try waiter.begin(.immediate) }
        #expect(ContinuousClock.now - start >= .milliseconds(150))
        #expect(error?.isBusy == true)
        #expect(WriterQueue.members(at: file).map(\.label) == ["holder"])
        try holder.commit()
        try waiter.transaction(.immediate) { try waiter.execute("INSERT INTO t VALUES (1)") }
    }

    @Test("the place is given up by a rollback too, and by a connection that is let go")
    func ends() throws {
        let connection = try connect("one")
        try connection.begin(.immediate)
        #expect(WriterQueue.members(at: file).count == 1)
        connection.rollback()
        #expect(WriterQueue.members(at: file).isEmpty)
        do {
            let other = try connect("two")
            try other.begin(.immediate)
            #expect(WriterQueue.members(at: file).map(\.label) == ["two"])
        }
        #expect(WriterQueue.members(at: file).isEmpty)
    }

    @Test("the file is there while somebody has written, with the database's permissions, and goes with the last")
    func file_() throws {
        chmod(database.path, 0o664)
        var first: Connection? = try connect("first")
        #expect(!FileManager.default.fileExists(atPath: file))
        try first?.transaction(.immediate) {}
        var second: Connection? = try connect("second")
        try second?.transaction(.immediate) {}
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o664)
        first = nil
        #expect(FileManager.default.fileExists(atPath: file))
        second = nil
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test("a file that was removed is made anew with the next write, and all meet there")
    func removed() throws {
        let (one, two) = (try connect("one"), try connect("two", busyTimeout: 50))
        for connection in [one, two] { try connection.transaction(.immediate) {} }
        try FileManager.default.removeItem(atPath: file)
        try one.begin(.immediate)
        #expect(WriterQueue.members(at: file).map(\.label) == ["one"])
        let error = #expect(throws: SQLiteError.self) { try two.begin(.immediate) }
        #expect(error?.holder?.label == "one")
        try one.commit()
        try two.transaction(.immediate) { try two.execute("INSERT INTO t VALUES (1)") }
    }

    @Test(
        "a file that is no queue, or full of nonsense, costs order and nothing else",
        arguments: [
            Data(), Data("nonsense".utf8), Data(repeating: 0xff, count: 8_192), Data(repeating: 0x55, count: 99_999),
        ])
    func nonsense(_ content: Data) throws {
        try content.write(to: URL(fileURLWithPath: file))
        _ = WriterQueue.members(at: file)
        let (one, two) = (try connect("one"), try connect("two", busyTimeout: 50))
        try one.begin(.immediate)
        #expect(throws: SQLiteError.self) { try two.begin(.immediate) }
        try one.commit()
        try two.transaction(.immediate) { try two.execute("INSERT INTO t VALUES (1)") }
    }

    @Test("where the file cannot be made, writers wait as SQLite does")
    func noFile() throws {
        let connection = try database.connect(busyTimeout: 50)
        connection.useQueue(database.folder + "/nowhere/queue", label: "one")
        try connection.transaction(.immediate) { try connection.execute("INSERT INTO t VALUES (1)") }
        symlink("/dev/zero", file)
        let linked = try connect("two")
        try linked.transaction(.immediate) { try linked.execute("INSERT INTO t VALUES (2)") }
        #expect(try linked.scalar("SELECT count(*) FROM t") == 2)
    }

    @Test("a checkpoint waits for its turn, and has it already after a commit")
    func checkpoint() throws {
        let holder = try connect("holder")
        try holder.begin(.immediate)
        try holder.execute("INSERT INTO t VALUES (1)")
        let other = try connect("other", busyTimeout: 50)
        #expect(try !other.checkpoint(.truncate).isComplete)
        var isComplete = false
        try holder.commit { isComplete = (try? holder.checkpoint(.truncate).isComplete) ?? false }
        #expect(isComplete)
        #expect(try other.checkpoint(.truncate).isComplete)
        #expect(WriterQueue.members(at: file).isEmpty)
    }
}
