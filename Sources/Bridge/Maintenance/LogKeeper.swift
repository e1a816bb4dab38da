import Dispatch
import Foundation
import SQLite
import Synchronization

/// Keeps the WAL below its maximum: looks at its size after commits, and has it moved into the store when it is above.
///
/// A reader that stays in its snapshot keeps the log from being moved past it. Nobody waits for it: it is asked again after a
/// while, each time after a longer one, and it is told who it is.
final class LogKeeper: Sendable {
    private struct State {
        var isRunning = false
        var isStopped = false
        /// Attempts that failed, one after another.
        var failures = 0
        var reader: String?
        /// Whether the last one ended with an error: that is told once.
        var isFailing = false
    }

    private let database: String
    private let maximumBytes: Int
    private let queue = DispatchQueue(label: "org.coexistd.checkpoint")
    private let state = Mutex(State())
    private let checkpoint: @Sendable () throws -> Bool
    private let alarm: @Sendable (String) -> Void

    /// Milliseconds until the next attempt after a first failure, and after many.
    private static let pauses = (first: 100, last: 2_000)
    /// After how many failures it is no reader that just came by.
    private static let patience = 4

    /// - Parameters:
    ///   - checkpoint: run on a queue of the keeper's own; must not wait for readers. Returns whether all of the log was
    ///     moved.
    ///   - alarm: told once for each time that a reader keeps the log, or that checkpoints begin to fail.
    init(
        storePath: String, maximumBytes: Int, checkpoint: @escaping @Sendable () throws -> Bool,
        alarm: @escaping @Sendable (String) -> Void
    ) {
        database = storePath
        self.maximumBytes = maximumBytes
        self.checkpoint = checkpoint
        self.alarm = alarm
    }

    /// The size of the WAL file. Asked of the file system by name: the file is not opened.
    var size: Int {
        var info = stat()
        return stat(database + "-wal", &info) == 0 ? Int(info.st_size) : 0
    }

    /// Who keeps the log above its maximum, as far as it can be seen; nil where nobody does.
    var reader: String? { state.withLock(\.reader) }

    /// To be called after a commit.
    func look() {
        guard size > maximumBytes else { return }
        let runs = state.withLock { state in
            guard !state.isRunning, !state.isStopped else { return false }
            state.isRunning = true
            return true
        }
        if runs { queue.async { [self] in attempt() } }
    }

    private func attempt() {
        guard !state.withLock(\.isStopped) else { return }
        // Somebody else may have moved the log.
        let result = Result { try size <= maximumBytes || checkpoint() }
        let isComplete = (try? result.get()) ?? false
        tell(result)
        let failures = state.withLock { state in
            state.failures = isComplete ? 0 : state.failures + 1
            state.isRunning = !isComplete
            if isComplete { state.reader = nil }
            return state.failures
        }
        guard failures > 0 else { return }
        if failures >= Self.patience, case .success = result { tell() }
        let pause = min(Self.pauses.last, Self.pauses.first << min(failures - 1, 10))
        queue.asyncAfter(deadline: .now() + .milliseconds(pause)) { [weak self] in self?.attempt() }
    }

    private func tell(_ result: Result<Bool, any Error>) {
        guard case .failure(let error) = result else {
            state.withLock { $0.isFailing = false }
            return
        }
        let isNew = state.withLock { state in
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isNew { alarm("the log, \(size) bytes, cannot be moved into the store, and grows: \(error)") }
    }

    private func tell() {
        let name = LogReaders.description(databasePath: database) ?? "a reader that cannot be seen from here"
        let isNew = state.withLock { state in
            defer { state.reader = name }
            return state.reader == nil
        }
        guard isNew else { return }
        alarm(
            "the log is at \(size) bytes and grows until a reader ends its transaction: \(name). Its maximum is \(maximumBytes)"
        )
    }

    /// Waits for a checkpoint that is running; none comes after.
    func finish() {
        state.withLock { $0.isStopped = true }
        queue.sync {}
    }
}
