import Dispatch
import Synchronization

/// Values from other threads, in order, to be waited for.
final class Inbox<Element: Sendable>: Sendable {
    struct TimedOut: Error {}

    private let elements = Mutex<[Element]>([])
    private let count = DispatchSemaphore(value: 0)

    func put(_ element: Element) {
        elements.withLock { $0.append(element) }
        count.signal()
    }

    /// Waits for the next value; the time is only there so that a failing test ends.
    func next() throws -> Element {
        guard count.wait(timeout: .now() + 300) == .success else { throw TimedOut() }
        return elements.withLock { $0.removeFirst() }
    }

    var isEmpty: Bool { elements.withLock { $0.isEmpty } }
}
