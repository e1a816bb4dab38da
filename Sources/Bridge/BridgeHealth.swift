import StoreFormat
import Synchronization

/// Whether the store can still be written, and if not, why: its files are gone from their path, or it is damaged.
///
/// Only a new start ends it, which looks at the file anew.
final class BridgeHealth: Sendable {
    private let found = Mutex<StoreError?>(nil)
    private let handler = Mutex<(@Sendable (StoreError) -> Void)?>(nil)

    /// The first trouble that was met.
    var problem: StoreError? { found.withLock { $0 } }

    /// Remembers trouble, and tells of it, the first time.
    func note(_ error: StoreError) {
        let isFirst = found.withLock { found in
            defer { found = found ?? error }
            return found == nil
        }
        if isFirst { handler.withLock { $0 }?(error) }
    }

    /// Whether an error needs no mention of its own, being the trouble itself: one that is taken note of here is told once.
    func explains(_ error: StoreError) -> Bool {
        if error.code == .storeReplaced { note(error) }
        return problem?.code == error.code
    }

    /// Calls the handler with the trouble, now if there is some already.
    func setHandler(_ new: @escaping @Sendable (StoreError) -> Void) {
        handler.withLock { $0 = new }
        if let problem { new(problem) }
    }
}
