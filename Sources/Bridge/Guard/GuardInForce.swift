import StoreFormat
import Synchronization

/// The guard's mode, which a reload can change while others look at it.
final class GuardInForce: Sendable {
    private let current: Mutex<GuardMode>

    init(_ mode: GuardMode) {
        current = Mutex(mode)
    }

    var mode: GuardMode {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }
}
