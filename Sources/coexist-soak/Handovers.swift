import Bridge
import Foundation
import StoreFormat
import Synchronization

/// Hands random entities to their other stack, one after the other, on a thread of its own.
final class Handovers: Sendable {
    private struct State {
        var done = 0
        var refusals: [String] = []
        var isStopped = false
    }

    private let bridge: StoreBridge
    private let state = Mutex(State())
    private let finished = DispatchSemaphore(value: 0)

    init(_ bridge: StoreBridge) {
        self.bridge = bridge
    }

    var done: Int { state.withLock(\.done) }
    /// Handovers that were refused, with what was said.
    var refusals: [String] { state.withLock(\.refusals) }

    func start() {
        Thread.detachNewThread { [self] in
            while !state.withLock(\.isStopped) {
                handOver()
                usleep(20_000)
            }
            finished.signal()
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        finished.wait()
    }

    private func handOver() {
        guard let entity = CounterTypes.names.randomElement() else { return }
        do {
            let owner = try bridge.unit(of: entity).owner
            _ = try bridge.handover(entity, to: owner.other, user: "coexist-soak")
            state.withLock { $0.done += 1 }
        } catch {
            state.withLock { $0.refusals.append("\(entity): \(error)") }
        }
    }
}
