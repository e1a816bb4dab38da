import Dispatch
import Foundation
import Synchronization

/// Writes metrics to a file every 15 seconds, for a collector that reads files: whole, or not at all.
final class MetricsFile: Sendable {
    private let path: String
    private let queue = DispatchQueue(label: "org.coexistd.metrics")
    private let isStopped = Mutex(false)
    private let failed = Mutex(false)
    private let text: @Sendable () throws -> String
    private let complain: @Sendable (String) -> Void

    /// - Parameter complain: told once when writing begins to fail.
    init(path: String, text: @escaping @Sendable () throws -> String, complain: @escaping @Sendable (String) -> Void) {
        self.path = path
        self.text = text
        self.complain = complain
    }

    func start() {
        queue.async { [self] in round() }
    }

    /// Waits for a round that is running, and removes the file: its numbers are true no longer.
    func stop() {
        isStopped.withLock { $0 = true }
        queue.sync {}
        try? FileManager.default.removeItem(atPath: path)
    }

    private func round() {
        guard !isStopped.withLock({ $0 }) else { return }
        do {
            // A collector must never see half a file: Foundation writes beside it and renames.
            try Data(text().utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            failed.withLock { $0 = false }
        } catch {
            let isNew = failed.withLock { failed in
                defer { failed = true }
                return !failed
            }
            if isNew { complain("metrics cannot be written to \(path): \(error)") }
        }
        queue.asyncAfter(deadline: .now() + .seconds(15)) { [weak self] in self?.round() }
    }
}
