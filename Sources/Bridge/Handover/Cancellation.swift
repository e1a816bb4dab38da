import StoreFormat
import Synchronization

/// Calls off a handover or a comparison that is under way, from another thread: it ends at its next look, with what it had
/// done undone. A handover whose switch is committed is not undone any more.
public final class Cancellation: Sendable {
    private let why = Mutex<String?>(nil)

    /// Nothing is called off yet.
    public init() {}

    /// Calls it off. Of several reasons the first counts.
    /// - Parameter why: in words that go on behind "called off, since".
    public func cancel(_ why: String) {
        self.why.withLock { $0 = $0 ?? why }
    }

    /// - Parameter what: what ends, for the message.
    /// - Throws: `StoreError` `Cancelled` once it is called off.
    public func check(_ what: @autoclosure () -> String) throws {
        guard let why = why.withLock({ $0 }) else { return }
        throw StoreError(
            .cancelled, "\(what()) was called off, since \(why): nothing has been changed", way: "start it again")
    }
}
