import Foundation
import SQLite

/// How long writers of one database wait for one another, with the queue and without it, and what the queue costs a
/// writer who is alone.
enum ContentionBench {
    /// How a writer waits.
    enum Waiting: String, CaseIterable {
        /// In the queue.
        case queue
        /// With the busy handler alone.
        case plain
    }

    private static let writers = 8
    private static let seconds = 4.0

    static func run(_ folder: String) throws {
        for synchronous in ["NORMAL", "FULL"] {
            try alone(folder, synchronous)
            for waiting in Waiting.allCases { try together(folder, waiting, synchronous) }
        }
    }

    private static func connect(_ path: String, _ waiting: Waiting, _ synchronous: String) throws -> Connection {
        let connection = try Connection(path: path, mode: .readWriteCreate, busyTimeout: 60_000)
        try connection.execute(
            """
            PRAGMA journal_mode=WAL; PRAGMA synchronous=\(synchronous);
            CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, n INTEGER);
            """)
        if waiting == .queue { connection.useQueue(path + "-coexist-queue", label: "a writer") }
        return connection
    }

    private static func save(_ connection: Connection, _ key: Int) throws {
        try connection.transaction(.immediate) {
            try connection.run(
                "INSERT INTO t VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = n + 1", [.integer(Int64(key))])
        }
    }

    /// The two take turns in short rounds, so that the machine's moods meet both.
    private static func alone(_ folder: String, _ synchronous: String) throws {
        var best: [Waiting: Double] = [:]
        let connections = try Waiting.allCases.map {
            ($0, try connect("\(folder)/alone-\($0)-\(synchronous).db", $0, synchronous))
        }
        let saves = 500
        for _ in 0..<10 {
            for (waiting, connection) in connections {
                let start = now()
                for i in 1...saves { try save(connection, i % 8) }
                let time = Double(now() - start) / Double(saves) / 1e3
                best[waiting] = min(best[waiting] ?? .infinity, time)
            }
        }
        let (queue, plain) = (best[.queue] ?? 0, best[.plain] ?? 0)
        print(
            "\(synchronous), one writer alone: a save of one row takes \(tenth(plain)) µs without the queue, "
                + "\(tenth(queue)) µs with it (\((queue / plain * 100).rounded() / 100)x)")
    }

    private static func together(_ folder: String, _ waiting: Waiting, _ synchronous: String) throws {
        let path = "\(folder)/together-\(waiting)-\(synchronous).db"
        try save(connect(path, waiting, synchronous), 0)
        let children = try (1...writers).map { number -> (Process, Pipe) in
            let child = Process()
            child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            child.arguments = ["contention-writer", path, waiting.rawValue, synchronous, "\(number)", "\(now())"]
            let pipe = Pipe()
            child.standardOutput = pipe
            try child.run()
            return (child, pipe)
        }
        var counts: [Int] = []
        var medians: [Double] = []
        var tails: [Double] = []
        var longest: [Double] = []
        for (child, pipe) in children {
            let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            child.waitUntilExit()
            let waits = output.split(separator: "\n").compactMap { Double($0) }.sorted()
            guard let last = waits.last else { throw NoOutput() }
            counts.append(waits.count)
            medians.append(waits[waits.count / 2])
            tails.append(waits[waits.count * 99 / 100])
            longest.append(last)
        }
        let (least, most) = (counts.min() ?? 0, counts.max() ?? 0)
        print(
            """
            \(synchronous), \(writers) processes, \(waiting == .queue ? "queue" : "busy handler alone"): \
            \(Int(Double(counts.reduce(0, +)) / seconds)) saves a second; \(least) to \(most) a process \
            (\(tenth(Double(most) / Double(max(1, least))))x)
              waits in µs by process, median: \(row(medians)); p99: \(row(tails)); longest: \(row(longest))
            """)
    }

    struct NoOutput: Error {}

    /// The child: saves as fast as it can until the time is over, and prints how long each wait was in microseconds.
    static func write(_ arguments: [String]) throws {
        guard arguments.count == 5, let waiting = Waiting(rawValue: arguments[1]), let key = Int(arguments[3]),
            let start = UInt64(arguments[4])
        else { return }
        let connection = try connect(arguments[0], waiting, arguments[2])
        // All begin together, when the last has surely been started.
        let begin = start + 1_000_000_000
        let end = begin + UInt64(seconds * 1e9)
        while now() < begin { usleep(1_000) }
        var waits: [UInt64] = []
        while true {
            let asked = now()
            if asked >= end { break }
            try connection.begin(.immediate)
            waits.append((now() - asked) / 1_000)
            try connection.run(
                "INSERT INTO t VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET n = n + 1", [.integer(Int64(key))])
            try connection.commit()
        }
        print(waits.map { "\($0)" }.joined(separator: "\n"))
    }

    private static func row(_ values: [Double]) -> String {
        values.map { "\(Int($0))" }.joined(separator: " ")
    }

    private static func tenth(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
