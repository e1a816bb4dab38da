import Bridge
import SQLite
import StoreFormat
import Synchronization

/// A clock that stands until it is moved.
final class StandingClock: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func move(_ seconds: Int) { time.withLock { $0 += .seconds(seconds) } }
}

extension BridgeSample {
    /// A bridge whose readers may get a minute old by that clock.
    func open(by clock: StandingClock) throws -> StoreBridge {
        try open { $0.readerAge = ReaderAge(maximum: .seconds(60)) { clock.now } }
    }
}
