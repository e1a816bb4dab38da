import Foundation
import StoreFormat

/// A process that adds 1 to random counters through one stack, until it is told to end.
struct Worker {
    private let stack: any CounterStack
    private let log: WorkLog
    private let name: WorkerName
    private let fault: Soak.Fault?
    private let store: String

    /// How long a save waits for the write lock, in milliseconds.
    static let busyTimeout = 10_000
    /// Counters of each entity.
    static let counters: Int64 = 2
    /// How often a save that was refused is tried again.
    private static let attempts = 4

    /// - Parameter arguments: the store, the stack, the worker's name, its log, and a fault or `-`.
    init(_ arguments: [String]) throws {
        guard arguments.count == 5, let stack = StackName(rawValue: arguments[1]), let name = WorkerName(arguments[2])
        else { throw Soak.WrongUsage(message: "a worker is started by coexist-soak itself") }
        store = arguments[0]
        self.name = name
        log = try WorkLog(arguments[3])
        fault = Soak.Fault(rawValue: arguments[4])
        switch stack {
        case .legacy: self.stack = try LegacyCounters(store, busyTimeout: Self.busyTimeout)
        case .model: self.stack = try ModelCounters(store, busyTimeout: Self.busyTimeout)
        }
        log.write(.start(instance: self.stack.instance.instanceName))
    }

    func run() throws {
        var save = 0
        var fault = fault
        while !wasToldToEnd() {
            guard let entity = CounterTypes.names.randomElement() else { return }
            let counter = Int64.random(in: 1...Self.counters)
            for _ in 1...Self.attempts {
                save += 1
                log.write(.trying(save: save, entity: entity, counter: counter))
                let isFaulty = fault != nil && save > 3
                let outcome = try attempt(save, entity, counter, fault: isFaulty ? fault : nil)
                if isFaulty, outcome == .done { fault = nil }
                if outcome != .again { break }
            }
        }
        log.write(.end)
    }

    private enum Outcome {
        case done
        /// Refused, and replayed: to be tried again.
        case again
        /// What the other stack owns stays its own for a while.
        case leave
    }

    private func attempt(_ save: Int, _ entity: String, _ counter: Int64, fault: Soak.Fault?) throws -> Outcome {
        var work = CounterWork(
            entity: entity, counter: counter, author: name.author, entry: name.entry(save), amount: 1)
        switch fault {
        case .lostUpdate:
            log.write(.saved(save: save))
            return .done
        case .unowned:
            try Holder.writePastEverything(store, entity, counter)
            log.write(.refused(save: save, code: "Unowned"))
            return .done
        case .doubleUpdate: work.amount = 2
        case .wrongAuthor: work.author = "worker-0"
        case nil: break
        }
        let start = ContinuousClock.now
        do {
            try stack.add(work)
            log.write(.saved(save: save))
            return .done
        } catch let error as StoreError {
            switch error.code {
            case .busy:
                let (seconds, fraction) = (ContinuousClock.now - start).components
                log.write(
                    .busy(
                        save: save, seconds: Double(seconds) + Double(fraction) / 1e18,
                        timeout: Double(Self.busyTimeout) / 1_000))
            case .ownershipViolation, .staleEpoch, .frozen, .versionConflict:
                log.write(.refused(save: save, code: error.code.rawValue))
            default: throw error
            }
            try stack.instance.replay()
            return error.code == .ownershipViolation ? .leave : .again
        }
    }

    /// The supervisor closes the worker's standard input.
    private func wasToldToEnd() -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&input, 1, 0) != 0
    }
}

/// A worker's number, and how often it was started before.
struct WorkerName: Hashable {
    var number: Int
    var generation: Int

    init(number: Int, generation: Int) {
        self.number = number
        self.generation = generation
    }

    /// From `3.0`.
    init?(_ text: String) {
        let parts = text.split(separator: ".").compactMap { Int($0) }
        guard parts.count == 2 else { return nil }
        (number, generation) = (parts[0], parts[1])
    }

    var text: String { "\(number).\(generation)" }
    /// The author of the worker's history transactions.
    var author: String { "worker-\(number)" }
    /// What the entry of a save says.
    func entry(_ save: Int) -> String { "\(text).\(save)" }
}
