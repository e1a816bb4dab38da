import Dispatch
import Foundation
import SQLite
import StoreFormat
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

    /// What lies at a path.
    enum Kind: Equatable {
        case none
        /// Metrics, or nothing yet.
        case metrics
        case other(String)
    }

    /// What lies at a path: only what this daemon or one before it wrote may be written over, and removed.
    static func kind(of path: String) -> Kind {
        var info = stat()
        guard lstat(path, &info) == 0 else { return .none }
        guard stat(path, &info) == 0 else { return .other("a link that leads nowhere") }
        guard info.st_mode & S_IFMT == S_IFREG else { return .other("no file") }
        guard info.st_size > 0 else { return .metrics }
        // Raw reading would drop this process' locks on a database that it has open.
        let begins = RawFile.read(path) { path -> Bool in
            guard let file = FileHandle(forReadingAtPath: path) else { return false }
            defer { try? file.close() }
            return (try? file.read(upToCount: MetricsText.start.utf8.count)) == Data(MetricsText.start.utf8)
        }
        return begins == true ? .metrics : .other("something else than metrics")
    }

    /// Waits for a round that is running, and removes the file: its numbers are true no longer.
    func stop() {
        isStopped.withLock { $0 = true }
        queue.sync {}
        if Self.kind(of: path) == .metrics { try? FileManager.default.removeItem(atPath: path) }
    }

    private func round() {
        guard !isStopped.withLock({ $0 }) else { return }
        do {
            if case .other(let what) = Self.kind(of: path) {
                throw StoreError(.alreadyExists, "what is there is \(what)", way: "move it away")
            }
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
