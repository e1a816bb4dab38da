import Dispatch
import Foundation
import Synchronization

/// Keeps the WAL below its maximum: looks at its size after commits, and has it moved into the store when it is above.
final class LogKeeper: Sendable {
    private struct State {
        var isRunning = false
        /// After a checkpoint that readers or writers were in the way of, the size at which to try again.
        var nextSize = 0
        /// Whether the last one failed: that is told once.
        var isFailing = false
    }

    private let path: String
    private let maximumBytes: Int
    private let queue = DispatchQueue(label: "org.coexistd.checkpoint")
    private let state = Mutex(State())

    init(storePath: String, maximumBytes: Int) {
        path = storePath + "-wal"
        self.maximumBytes = maximumBytes
    }

    /// The size of the WAL file. Asked of the file system by name: the file is not opened.
    var size: Int {
        var info = stat()
        return stat(path, &info) == 0 ? Int(info.st_size) : 0
    }

    /// To be called after a commit.
    /// - Parameters:
    ///   - checkpoint: run on a queue of the keeper's own; returns whether all of the log was moved.
    ///   - failed: told of the first of the checkpoints that fail one after another, with the log's size.
    func look(
        _ checkpoint: @escaping @Sendable () throws -> Bool, failed: @escaping @Sendable (any Error, Int) -> Void
    ) {
        let size = size
        guard size > maximumBytes else { return }
        let runs = state.withLock { state in
            guard !state.isRunning, size >= state.nextSize else { return false }
            state.isRunning = true
            return true
        }
        guard runs else { return }
        queue.async { [self] in
            let result = Result { try checkpoint() }
            let isComplete = (try? result.get()) ?? false
            let isNews = state.withLock { state in
                state.isRunning = false
                state.nextSize = isComplete ? 0 : size + maximumBytes / 8
                defer { if case .failure = result { state.isFailing = true } else { state.isFailing = false } }
                return !state.isFailing
            }
            if isNews, case .failure(let error) = result { failed(error, size) }
        }
    }

    /// Waits for a checkpoint that is running.
    func finish() {
        queue.sync {}
    }
}
