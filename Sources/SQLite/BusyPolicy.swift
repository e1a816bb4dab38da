import CSQLite
import Foundation

/// How a connection waits for a lock: short random steps, so that waiters get their turn, up to a limit.
///
/// SQLite's own busy timeout backs off to 100 ms steps, at which a waiter loses to writers that come back at once.
final class BusyPolicy {
    var milliseconds: Int
    /// False for an attempt that is not to wait.
    var isPatient = true
    /// Called once in a wait that takes longer than most.
    var onPatienceLost: (() -> Void)?
    private var deadline: UInt64?
    private var began: UInt64 = 0

    /// Nanoseconds of a wait after which it is worth a look who is waited for.
    private static let patience: UInt64 = 100_000_000

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    static let handler: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { pointer, attempt in
        guard let pointer else { return 0 }
        return Unmanaged<BusyPolicy>.fromOpaque(pointer).takeUnretainedValue().wait(attempt: Int(attempt)) ? 1 : 0
    }

    /// Begins a wait of several attempts, until `end()`.
    /// - Returns: when it ends, in `Monotonic` nanoseconds.
    func begin() -> UInt64 {
        let end = Monotonic.now + limit
        deadline = end
        return end
    }

    func end() {
        deadline = nil
        onPatienceLost = nil
    }

    private var limit: UInt64 { UInt64(max(0, milliseconds)) * 1_000_000 }

    private func wait(attempt: Int) -> Bool {
        guard isPatient else { return false }
        let now = Monotonic.now
        if attempt == 0 { began = now }
        let end = deadline ?? began + limit
        guard now < end else { return false }
        if now - began >= Self.patience, let look = onPatienceLost {
            onPatienceLost = nil
            look()
        }
        let step: UInt32 = attempt < 10 ? 200 : attempt < 50 ? 1_000 : 4_000
        let left = UInt32(min((end - now) / 1_000 + 1, UInt64(step)))
        usleep(UInt32.random(in: min(50, left)...left))
        return true
    }
}
