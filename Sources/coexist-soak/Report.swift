import Foundation
import StoreFormat

/// What a soak did and found.
struct Report: Codable {
    /// One worker, over all the times that it was started.
    struct Share: Codable {
        var worker: Int
        var stack: String
        /// Saves that it tried: each is one turn at the write lock.
        var tried: Int
    }

    var seconds: Double
    var folder: String
    var workers: [Share] = []
    /// The most turns of a worker to the fewest.
    var spread = 0.0
    var saved = 0
    /// Saves of killed workers of which nobody was told what became.
    var unknown = 0
    var refused: [String: Int] = [:]
    var entries = 0
    var transactions = 0
    var handovers = 0
    /// Handovers that were refused, with why.
    var refusedHandovers: [String] = []
    var kills = 0
    var stops = 0
    var purges = 0
    /// The largest size of the log, in bytes.
    var largestLog = 0
    var warnings: [String] = []
    var violations: [String] = []

    init(seconds: Double, folder: String) {
        self.seconds = seconds
        self.folder = folder
    }

    mutating func take(_ handovers: Handovers) {
        self.handovers = handovers.done
        refusedHandovers = handovers.refusals
    }

    mutating func take(_ checks: Checks, workers processes: [WorkerProcess]) {
        let evidence = checks.evidence
        var stacks: [Int: String] = [:]
        for process in processes { stacks[process.name.number] = process.stack.rawValue }
        workers = stacks.sorted { $0.key < $1.key }.map {
            Share(worker: $0.key, stack: $0.value, tried: evidence.tried[$0.key] ?? 0)
        }
        let tried = workers.map(\.tried)
        spread = Double(tried.max() ?? 0) / Double(max(1, tried.min() ?? 0))
        saved = evidence.count(.saved)
        unknown = evidence.count(.unknown)
        refused = evidence.refusals
        entries = checks.entries
        transactions = checks.transactions
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    var text: String {
        let refusals = refused.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        var lines = [
            "\(seconds) seconds, \(workers.count) workers: \(saved) saves, \(unknown) of unknown end",
            "refused      \(refusals.isEmpty ? "none" : refusals)",
            "a worker     "
                + workers.map { "\($0.worker) \($0.stack) \($0.tried)" }.joined(separator: ", ")
                + " (spread \((spread * 100).rounded() / 100))",
            "handovers    \(handovers), \(refusedHandovers.count) refused"
                + (refusedHandovers.first.map { ": \($0)" } ?? ""),
            "disturbance  \(kills) kills, \(stops) stops, \(purges) purges",
            "checked      \(entries) entries, \(transactions) transactions, every row through both stacks",
            "log          \(largestLog) bytes at most",
        ]
        lines += Set(warnings).sorted().prefix(20).map { "warning      \($0)" }
        lines += violations.map { "VIOLATION    \($0)" }
        lines.append(
            violations.isEmpty ? "everything held" : "\(violations.count) violations; the store is in \(folder)")
        return lines.joined(separator: "\n")
    }
}
