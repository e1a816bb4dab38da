import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import Synchronization

/// What replay costs beside reading the same history through SQLite alone, how much memory a backlog takes, and how
/// stale a cache is after a commit.
enum ReplayBench {
    private static let runs = 3

    /// Replay into a warm cache, against raw SQLite reading the same history rows twice.
    static func run(_ count: Int, _ folder: String) throws {
        let path = try store(folder, "replay")
        let writer = try LegacyInstance(path: path)
        let keys = try insert(count, writer)
        writer.close()
        let changing = try LegacyInstance(path: path)
        let start = changing.position
        let legacy = try LegacyInstance(path: path)
        let model = try ModelContainer(
            for: Schema([Item.self]), configurations: [ModelConfiguration(url: URL(fileURLWithPath: path))])
        for first in stride(from: 0, to: keys.count, by: 100) {
            try touch(keys[first..<min(first + 100, keys.count)], changing)
        }
        changing.close()

        let raw = try Measure.best(of: runs, prepare: { try RawSQLite(path) }) { database in
            (try database.history(after: start), try database.history(after: start))
        }
        print("replay of \(count) changes in \(count / 100) transactions into a warm cache, against reading them twice")
        try measure(legacy, from: start, raw) { _ = try LegacyBench.fetch(legacy.newContext()) }
        try measure(model.instance, from: start, raw) { _ = try ModelBench.fetch(ModelContext(model)) }
    }

    private static func measure(
        _ instance: any StackInstance, from start: Int64, _ raw: Measure, warm: () throws -> Void
    ) throws {
        var times: [Double] = []
        var dropped = 0
        for _ in 0..<runs {
            instance.dropCaches(of: nil, position: start)
            try warm()
            let held = instance.cacheStatistics.objects
            times.append(try Measure.run { try instance.replay() }.seconds)
            dropped = held - instance.cacheStatistics.objects
        }
        let seconds = times.min() ?? 0
        print(
            "\(instance.stack.rawValue): \(seconds.inMilliseconds), \(dropped) rows dropped from the cache; "
                + "raw \(raw.seconds.inMilliseconds), ratio \((seconds / raw.seconds).inHundredths)")
    }

    /// A long backlog, replayed while saves go on.
    static func backlog(_ count: Int, _ folder: String) throws {
        let path = try Self.store(folder, "backlog")
        let reader = try ModelInstance(path: path)
        let raw = try RawSQLite(path)
        try raw.appendHistory(transactions: count)
        let isDone = Mutex(false)
        let saves = Mutex(0)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            defer { hasEnded.signal() }
            guard let writer = try? LegacyInstance(path: path) else { return }
            while !isDone.withLock({ $0 }), (try? insert(1, writer)) != nil { saves.withLock { $0 += 1 } }
            writer.close()
        }
        let measure = try Measure.run { try reader.replay() }
        isDone.withLock { $0 = true }
        hasEnded.wait()
        print(
            "replay of a backlog of \(count) transactions, \(saves.withLock { $0 }) saves beside it: "
                + "\(measure.seconds.inMilliseconds), peak \(measure.peak >> 20) MiB above the start")
    }

    /// One transaction of very many changes, replayed by each stack.
    static func transaction(_ count: Int, _ folder: String) throws {
        let path = try Self.store(folder, "transaction")
        let legacy = try LegacyInstance(path: path)
        let model = try ModelInstance(path: path)
        let context = legacy.newContext()
        try RawSQLite(path).appendTransaction(changes: count)
        for instance in [legacy, model] as [any StackInstance] {
            let measure = try Measure.run { try instance.replay() }
            print(
                "\(instance.stack.rawValue): replay of one transaction of \(count) changes: "
                    + "\(measure.seconds.inMilliseconds), peak \(measure.peak >> 20) MiB above the start, "
                    + "at transaction \(instance.position)")
        }
        withExtendedLifetime(context) {}
    }

    /// From a commit in one stack to the invalidation in the other, beside the time of the save itself.
    static func staleness(_ folder: String) throws {
        let bridge = try StoreBridge(path: try Self.store(folder, "staleness"))
        defer { _ = bridge.close() }
        var times: [Double] = []
        for i in 1...1_000 {
            times.append(try Measure.run { try bridge.legacy.save(ObjectBatch([insertion(i)])) }.seconds)
        }
        _ = try bridge.replay()
        times.sort()
        let staleness = bridge.staleness
        let (median, p99) = (staleness.value(at: 0.5) ?? .nan, staleness.value(at: 0.99) ?? .nan)
        print(
            "staleness in process over 1,000 saves of a row: median \(median.inMilliseconds), p99 \(p99.inMilliseconds); "
                + "a save: median \(times[500].inMilliseconds), p99 \(times[990].inMilliseconds)")
    }
}

extension ReplayBench {
    static func store(_ folder: String, _ name: String) throws -> String {
        let path = "\(folder)/\(name).store"
        let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
        try ModelContainer(for: Schema([Item.self]), configurations: [configuration]).instance.close()
        return path
    }

    static func insertion(_ i: Int) -> ObjectBatch.Operation {
        let sample = Sample(i)
        return .insert(
            entity: "Item", name: "\(i)",
            values: [
                "count": .attribute(.integer(sample.count)), "flag": .attribute(.bool(sample.flag)),
                "price": .attribute(.double(sample.price)), "name": .attribute(.string(sample.name)),
                "made": .attribute(.date(Date(timeIntervalSinceReferenceDate: sample.made))),
                "note": .attribute(.string(sample.note)),
            ])
    }

    @discardableResult
    static func insert(_ count: Int, _ instance: any StackInstance) throws -> [Int64] {
        let result = try instance.save(ObjectBatch((1...count).map(insertion)))
        return result.objects.values.map(\.key).sorted()
    }

    static func touch(_ keys: some Sequence<Int64>, _ instance: any StackInstance) throws {
        let operations = keys.map { key in
            ObjectBatch.Operation.update(
                ObjectReference(entity: "Item", key: key), values: ["count": .attribute(.integer(-key))],
                expecting: nil)
        }
        _ = try instance.save(ObjectBatch(operations))
    }

}
