import Bridge
import Foundation
import ModelStack
import SQLite
import StoreFormat

/// Starts the workers, moves entities between the stacks meanwhile, kills and stops workers, and has everything checked
/// at the end.
final class Supervisor {
    /// The name of the durable reader that keeps history until the ledger has it.
    private static let reader = "ledger"

    private let options: Soak.Options
    private let folder: String
    private let store: String
    private var workers: [WorkerProcess] = []
    private var past: [WorkerProcess] = []
    private var report: Report

    init(_ options: Soak.Options) throws {
        self.options = options
        folder =
            options.folder
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("coexist-soak-\(UUID().uuidString)").path
        store = folder + "/soak.sqlite"
        report = Report(seconds: options.seconds, folder: folder)
        guard !FileManager.default.fileExists(atPath: store) else {
            throw Soak.WrongUsage(message: "there is a store in \(folder) already")
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    func run() throws -> Report {
        try makeStore()
        var bridgeOptions = BridgeOptions(seed: seed())
        if options.hasReader { bridgeOptions.maximumLogBytes = 256 << 10 }
        let bridge = try StoreBridge(path: store, options: bridgeOptions)
        let reader = try options.hasReader ? holdSnapshot() : nil
        let ledger = try Ledger(store)
        try bridge.addConsumer(Self.reader, from: ledger.last)
        for number in 1...options.workers { try start(number, generation: 0) }
        let handovers = Handovers(bridge)
        handovers.start()
        try disturb(bridge, ledger)
        reader?.rollback()
        handovers.stop()
        report.take(handovers)
        end()
        try ledger.read()
        let checks = Checks(store: store, workers: past, ledger: ledger)
        try checks.run(bridge)
        report.violations += checks.violations
        report.take(checks, workers: past)
        report.warnings = bridge.alarms
        for problem in bridge.close() { report.violations.append("the bridge did not close whole: \(problem)") }
        if options.folder == nil, report.violations.isEmpty { try? FileManager.default.removeItem(atPath: folder) }
        return report
    }

    /// A reader that stays where it is: the log cannot be moved past it.
    private func holdSnapshot() throws -> Connection {
        let reader = try Connection(path: store, mode: .readOnly)
        try reader.begin(.deferred)
        _ = try reader.scalar("SELECT count(*) FROM sqlite_master")
        return reader
    }

    private func makeStore() throws {
        let container = try CounterTypes.container(store)
        let context = ModelContext(container)
        for type in CounterTypes.all {
            for _ in 1...Worker.counters { context.insert(type.init()) }
        }
        try context.save()
        container.instance.close()
    }

    /// Every other entity begins with the model stack.
    private func seed() -> OwnershipSeed {
        let pairs = CounterTypes.names.enumerated().filter { $0.offset % 2 == 1 }.map { ($0.element, StackName.model) }
        return OwnershipSeed(entities: Dictionary(pairs, uniquingKeysWith: { first, _ in first }))
    }

    private func start(_ number: Int, generation: Int) throws {
        workers.append(
            try WorkerProcess(
                WorkerName(number: number, generation: generation), number % 2 == 1 ? .legacy : .model, store: store,
                folder: folder, fault: number == 1 && generation == 0 ? options.fault : nil))
    }

    /// What happens while the workers write.
    private func disturb(_ bridge: StoreBridge, _ ledger: Ledger) throws {
        let end = ContinuousClock.now + .seconds(options.seconds)
        var round = 0
        while .now < end, !haveHadTheirTurns {
            let left = Double(ContinuousClock.now.duration(to: end).components.seconds)
            usleep(UInt32(min(0.25, max(0.01, left)) * 1e6))
            round += 1
            let size = (try? FileManager.default.attributesOfItem(atPath: store + "-wal")[.size]) as? Int ?? 0
            report.largestLog = max(report.largestLog, size)
            for worker in workers where worker.hasFailed {
                report.violations.append("worker \(worker.name.text) ended by itself with \(worker.exitCode)")
                retire(worker)
            }
            guard !options.isCalm, !workers.isEmpty else { continue }
            switch round % 4 {
            case 1: try killOne()
            case 2: stopOne()
            case 3: try purge(bridge, ledger)
            default: break
            }
        }
    }

    /// Whether each worker has tried as many saves as were asked for.
    private var haveHadTheirTurns: Bool {
        guard let turns = options.turns else { return false }
        let tried = Evidence(workers + past).tried
        return (1...options.workers).allSatisfy { tried[$0] ?? 0 >= turns }
    }

    private func retire(_ worker: WorkerProcess) {
        workers.removeAll { $0 === worker }
        past.append(worker)
    }

    private func killOne() throws {
        guard let worker = workers.randomElement() else { return }
        worker.killNow()
        retire(worker)
        report.kills += 1
        try start(worker.name.number, generation: worker.name.generation + 1)
    }

    /// Wherever it is, in the queue or inside a transaction.
    private func stopOne() {
        guard let worker = workers.randomElement() else { return }
        worker.stop()
        usleep(UInt32.random(in: 100_000...600_000))
        worker.resume()
        report.stops += 1
    }

    /// Purges what the ledger has taken down, as the durable reader that it is.
    private func purge(_ bridge: StoreBridge, _ ledger: Ledger) throws {
        try ledger.read()
        do {
            try bridge.acknowledge(Self.reader, ledger.last)
            if try bridge.prune(.through(.max)).transactions > 0 { report.purges += 1 }
        } catch let error as StoreError where error.code == .busy {
            report.warnings.append("a purge was refused: \(error)")
        }
    }

    private func end() {
        for worker in workers { worker.tellToEnd() }
        for worker in workers {
            if !worker.waitForEnd(seconds: 60) {
                report.violations.append("worker \(worker.name.text) did not end when it was told to")
                worker.killNow()
            } else if worker.exitCode != 0 {
                report.violations.append("worker \(worker.name.text) ended with \(worker.exitCode)")
            }
        }
        past += workers
        workers = []
    }
}
