import CSQLite
import Foundation

/// How a connection waits for a lock: short random steps, so that waiters get their turn, up to a limit.
///
/// SQLite's own busy timeout backs off to 100 ms steps, at which a waiter loses to writers that come back at once.
final class BusyPolicy {
    var milliseconds: Int
    private var began: UInt64 = 0

    init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    static let handler: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = { pointer, attempt in
        guard let pointer else { return 0 }
        return Unmanaged<BusyPolicy>.fromOpaque(pointer).takeUnretainedValue().wait(attempt: Int(attempt)) ? 1 : 0
    }

    private func wait(attempt: Int) -> Bool {
        let now = DispatchTime.now().uptimeNanoseconds
        if attempt == 0 { began = now }
        guard now - began < UInt64(max(0, milliseconds)) * 1_000_000 else { return false }
        let limit: UInt32 = attempt < 10 ? 200 : attempt < 50 ? 1_000 : 4_000
        usleep(UInt32.random(in: 50...limit))
        return true
    }
}
