import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import Synchronization

/// From a commit's return in another process to its notice here, and what the watching costs.
enum NoticeBench {
    /// Who commits.
    enum Writer: String, CaseIterable {
        /// An instance of ours, which sends a datagram.
        case instance
        /// A connection that is none of ours: the log's events tell of it.
        case stranger
    }

    private static let commits = 500

    static func run(_ folder: String) throws {
        print("notice of \(commits) commits by another process, from the commit's return to the watcher's report")
        for writer in Writer.allCases {
            for rate in [2, 100, 1_000] {
                try measure(writer, rate: rate, commits: rate == 2 ? 20 : commits, folder)
            }
        }
    }

    private static func measure(_ writer: Writer, rate: Int, commits: Int, _ folder: String) throws {
        let path = "\(folder)/notice-\(writer)-\(rate).store"
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
        try ModelContainer(for: Schema([Item.self]), configurations: [configuration]).instance.close()
        let reader = try StoreConnector.connect(path, .reader)
        let seen = Mutex<[(count: Int64, at: UInt64)]>([])
        // The watcher's thread alone uses the connection.
        nonisolated(unsafe) let connection = reader
        let watcher = try CommitWatcher(store: Store.open(path)) { _ in
            let at = now()
            let count = (try? connection.scalar("SELECT max(ZCOUNT) FROM ZITEM")?.integerValue) ?? 0
            seen.withLock { $0.append((count, at)) }
        }
        watcher.start()
        defer { watcher.stop() }

        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        child.arguments = ["notice-writer", path, writer.rawValue, "\(rate)", "\(commits)"]
        let pipe = Pipe()
        child.standardOutput = pipe
        let cpu = cpuSeconds()
        let start = now()
        try child.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        usleep(50_000)
        let share = (cpuSeconds() - cpu) / (Double(now() - start) / 1e9)
        let returns = output.split(separator: "\n").compactMap { UInt64($0) }
        let reports = seen.withLock { $0 }
        let delays = returns.enumerated().compactMap { index, returned -> Double? in
            guard let first = reports.first(where: { $0.count >= Int64(index + 1) }) else { return nil }
            return first.at > returned ? Double(first.at - returned) / 1e3 : 0
        }.sorted()
        guard delays.count == commits else { throw Missed(count: commits - delays.count) }
        print(
            "\(writer) at \(rate)/s: median \(Int(delays[commits / 2])) µs, p99 \(Int(delays[commits * 99 / 100])) µs, "
                + "\((share * 1_000).rounded() / 10)% of a core")
    }

    struct Missed: Error {
        let count: Int
    }

    /// The child: commits at a rate, and prints when each commit had returned.
    static func write(_ arguments: [String]) throws {
        guard arguments.count == 4, let writer = Writer(rawValue: arguments[1]), let rate = Int(arguments[2]),
            let commits = Int(arguments[3])
        else { return }
        let commit = try committer(writer, arguments[0])
        var lines = ""
        for i in 1...commits {
            let start = now()
            try commit(i)
            lines += "\(now())\n"
            let rest = 1_000_000_000 / UInt64(rate)
            let taken = now() - start
            if taken < rest { usleep(UInt32((rest - taken) / 1_000)) }
        }
        print(lines, terminator: "")
    }

    private static func committer(_ writer: Writer, _ path: String) throws -> (Int) throws -> Void {
        switch writer {
        case .instance:
            let instance = try LegacyInstance(path: path)
            return { i in
                let values: [String: ObjectBatch.Input] = [
                    "count": .attribute(.integer(Int64(i))), "flag": .attribute(.bool(true)),
                    "price": .attribute(.double(1)), "made": .attribute(.date(Date(timeIntervalSinceReferenceDate: 0))),
                ]
                _ = try instance.save(ObjectBatch([.insert(entity: "Item", name: "new", values: values)]))
            }
        case .stranger:
            let connection = try Connection(path: path, mode: .readWrite)
            return { i in
                try connection.run("INSERT INTO ZITEM (Z_ENT, Z_OPT, ZCOUNT) VALUES (1, 1, ?)", [.integer(Int64(i))])
            }
        }
    }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    private static func cpuSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
