import Foundation
import StoreFormat

/// What the workers' logs say together.
struct Evidence {
    /// A save that a worker tried.
    struct Save {
        var entity: String
        var counter: Int64
        var outcome: Outcome
    }

    enum Outcome {
        case saved
        /// Refused, or busy: nothing may have been written.
        case refused
        /// The worker was killed before it wrote down what came of it.
        case unknown
    }

    /// Saves by what their entry says.
    private(set) var saves: [String: Save] = [:]
    /// Workers by their instances' names.
    private(set) var workers: [String: (name: WorkerName, stack: StackName)] = [:]
    /// Saves that were tried, by the worker's number.
    private(set) var tried: [Int: Int] = [:]
    /// Refusals by their code.
    private(set) var refusals: [String: Int] = [:]
    /// Busy errors that came before their timeout.
    private(set) var early: [String] = []

    init(_ processes: [WorkerProcess]) {
        for process in processes {
            let name = process.name
            for line in WorkLog.read(process.logPath) {
                switch line {
                case .start(let instance): workers[instance] = (name, process.stack)
                case .trying(let save, let entity, let counter):
                    saves[name.entry(save)] = Save(entity: entity, counter: counter, outcome: .unknown)
                    tried[name.number, default: 0] += 1
                case .saved(let save): saves[name.entry(save)]?.outcome = .saved
                case .refused(let save, let code):
                    saves[name.entry(save)]?.outcome = .refused
                    refusals[code, default: 0] += 1
                case .busy(let save, let seconds, let timeout):
                    saves[name.entry(save)]?.outcome = .refused
                    refusals["Busy", default: 0] += 1
                    if seconds < timeout {
                        early.append("worker \(name.text) was told Busy after \(seconds) of \(timeout) seconds")
                    }
                case .end: break
                }
            }
        }
    }

    func count(_ outcome: Outcome) -> Int { saves.values.count { $0.outcome == outcome } }
}
