import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import StoreModel

/// Each stack's time as a ratio to raw SQLite doing the same statements, in one run.
enum Bench {
    private static let usage =
        "usage: coexist-bench [COUNT] [objects|replay|backlog|transaction|audit|staleness|ownership|notice|contention]…"

    /// What can be measured, in the order in which all of it is.
    private static let measurements: [(name: String, run: @Sendable (Int, String) throws -> Void)] = [
        ("objects", { try measure($0, $1) }),
        ("replay", { try ReplayBench.run($0, $1) }),
        ("backlog", { try ReplayBench.backlog($0 * 10, $1) }),
        ("transaction", { try ReplayBench.transaction($0 * 20, $1) }),
        ("audit", { try AuditBench.run($0, $1) }),
        ("staleness", { _, folder in try ReplayBench.staleness(folder) }),
        ("ownership", { _, folder in try OwnershipBench.run(folder) }),
        ("notice", { _, folder in try NoticeBench.run(folder) }),
        ("contention", { _, folder in try ContentionBench.run(folder) }),
    ]

    static func run(_ arguments: [String]) -> Int32 {
        var names = Array(arguments.dropFirst())
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coexist-bench-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            switch names.first {
            case "notice-writer":
                try NoticeBench.write(Array(names.dropFirst()))
                return 0
            case "contention-writer":
                try ContentionBench.write(Array(names.dropFirst()))
                return 0
            default: break
            }
            var count = 100_000
            if let given = names.first.flatMap({ Int($0) }), given > 0 {
                count = given
                names.removeFirst()
            }
            guard names.allSatisfy({ name in measurements.contains { $0.name == name } }) else {
                FileHandle.standardError.write(Data("\(usage)\n".utf8))
                return 2
            }
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for measurement in measurements where names.isEmpty || names.contains(measurement.name) {
                try measurement.run(count, folder)
            }
            return 0
        } catch {
            FileHandle.standardError.write(Data("coexist-bench: \(error)\n".utf8))
            return 1
        }
    }

    private static let runs = 3

    private static func measure(_ count: Int, _ folder: String) throws {
        let schema = Schema([Item.self])
        var names = 0
        func newStore() throws -> String {
            names += 1
            let path = "\(folder)/\(names).store"
            let configuration = ModelConfiguration(url: URL(fileURLWithPath: path))
            try ModelContainer(for: schema, configurations: [configuration]).instance.close()
            return path
        }
        func container(_ path: String) throws -> ModelContainer {
            try ModelContainer(for: schema, configurations: [ModelConfiguration(url: URL(fileURLWithPath: path))])
        }
        print("\(count) objects of 6 attributes; the best of \(runs) runs; ratios to raw SQLite in this run")
        var last = ""
        func prepared() throws -> String {
            last = try newStore()
            return last
        }
        let rawInsert = try Measure.best(of: runs, prepare: { try RawSQLite(prepared()) }) { try $0.insert(count) }
        let legacyInsert = try Measure.best(of: runs, prepare: { try LegacyInstance(path: prepared()) }) {
            try LegacyBench.insert($0, count)
        }
        let modelInsert = try Measure.best(of: runs, prepare: { try container(prepared()) }) {
            try ModelBench.insert($0, count)
        }
        report("insert \(count) in one save, with history", rawInsert, legacyInsert, modelInsert)

        let path = last
        let rawFetch = try Measure.best(of: runs, prepare: { try RawSQLite(path) }) { try $0.fetch() }
        let legacyFetch = try Measure.best(of: runs, prepare: { try LegacyInstance(path: path).newContext() }) {
            try LegacyBench.fetch($0)
        }
        let modelFetch = try Measure.best(of: runs, prepare: { ModelContext(try container(path)) }) {
            try ModelBench.fetch($0)
        }
        report("fetch \(count)", rawFetch, legacyFetch, modelFetch)
        memory("memory of the fetch", rawFetch, legacyFetch, modelFetch)

        let keys = (0..<min(20_000, count)).map { Int64($0 * 7_919 % count + 1) }
        let rawLook = try Measure.best(of: runs, prepare: { try RawSQLite(path) }) { try $0.lookUp(keys) }
        let legacyIDs = try LegacyBench.ids(LegacyInstance(path: path).newContext())
        let legacyLook = try Measure.best(of: runs, prepare: { try LegacyInstance(path: path).newContext() }) {
            context in
            try LegacyBench.lookUp(context, keys.compactMap { legacyIDs[$0] })
        }
        let uuid = try StoreMetadata.read(path: path).uuid
        let modelIDs = keys.map { PersistentIdentifier.identifier(for: uuid, entityName: "Item", primaryKey: $0) }
        let modelLook = try Measure.best(of: runs, prepare: { ModelContext(try container(path)) }) {
            try ModelBench.lookUp($0, modelIDs)
        }
        report("\(keys.count) lookups by key, cold cache", rawLook, legacyLook, modelLook)
    }

    private static func report(_ name: String, _ raw: Measure, _ legacy: Measure, _ model: Measure) {
        func text(_ measure: Measure) -> String {
            let tenths = (measure.seconds * 10_000).rounded() / 10
            return "\(tenths) ms (\((measure.seconds / raw.seconds * 100).rounded() / 100)x)"
        }
        print("\(name): raw \(text(raw)), legacy \(text(legacy)), model \(text(model))")
    }

    private static func memory(_ name: String, _ raw: Measure, _ legacy: Measure, _ model: Measure) {
        func text(_ measure: Measure) -> String {
            let ratio = Double(measure.peak) / Double(max(1, measure.held))
            return
                "peak \(measure.peak >> 20) MiB, objects hold \(measure.held >> 20) MiB (\((ratio * 100).rounded() / 100)x)"
        }
        print("\(name): raw \(text(raw)); legacy \(text(legacy)); model \(text(model))")
    }
}
