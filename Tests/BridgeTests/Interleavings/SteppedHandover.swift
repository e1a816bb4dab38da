import Bridge
import Foundation
import StoreFormat
import Synchronization

/// A handover that takes one step whenever it is told to: it runs on a thread of its own, and waits after each step.
final class SteppedHandover: @unchecked Sendable {
    // Safe to share: `outcome` is written before `finished` is signalled and read after it; everything else is constant.
    private let go = DispatchSemaphore(value: 0)
    private let paused = DispatchSemaphore(value: 0)
    private let isOver = Mutex(false)
    private(set) var outcome: Result<HandoverResult?, any Error>?

    init(_ bridge: StoreBridge, _ entity: String, to owner: StackName) {
        let thread = Thread { [self] in
            go.wait()
            outcome = Result {
                try bridge.handover(entity, to: owner) { [self] _ in
                    paused.signal()
                    go.wait()
                }
            }
            isOver.withLock { $0 = true }
            paused.signal()
        }
        thread.start()
    }

    /// Goes on to the end of the next step.
    /// - Returns: false where the handover is over.
    @discardableResult
    func step() -> Bool {
        guard !isOver.withLock({ $0 }) else { return false }
        go.signal()
        paused.wait()
        return true
    }

    func finish() {
        while step() {}
    }
}
