import Dispatch
import Foundation
import Synchronization

/// Keeps the WAL below its maximum: looks at its size after commits, and has it moved into the store when it is above.
final class LogKeeper: Sendable {
    private struct State {
        var isRunning = false
        /// After a checkpoint that readers or writers were in the way of, the size at which to try again.
        var nextSize = 0
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
    /// - Parameter checkpoint: run on a queue of the keeper's own; returns whether all of the log was moved.
    func look(_ checkpoint: @escaping @Sendable () -> Bool) {
        let size = size
        guard size > maximumBytes else { return }
        let runs = state.withLock { state in
            guard !state.isRunning, size >= state.nextSize else { return false }
            state.isRunning = true
            return true
        }
        guard runs else { return }
        queue.async { [self] in
            let isComplete = checkpoint()
            state.withLock { state in
                state.isRunning = false
                state.nextSize = isComplete ? 0 : size + maximumBytes / 8
            }
        }
    }

    /// Waits for a checkpoint that is running.
    func finish() {
        queue.sync {}
    }
}
