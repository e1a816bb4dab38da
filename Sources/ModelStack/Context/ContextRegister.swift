import Foundation
import Synchronization

/// What contexts are told from other threads.
enum ContextNews: Sendable {
    case changed([ObjectChange])
    /// Everything of the trees with these indexes, or all, may have changed.
    case dropped(Set<Int>?)
}

/// A context's letter box: filled from any thread, emptied by the context where it runs.
final class ContextInbox: Sendable {
    private let news = Mutex<[ContextNews]>([])
    private let flag = Atomic<Bool>(false)
    /// Called after something came in, on the sender's thread.
    private let wake: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

    var hasNews: Bool { flag.load(ordering: .acquiring) }

    func put(_ item: ContextNews) {
        news.withLock { $0.append(item) }
        flag.store(true, ordering: .releasing)
        wake.withLock { $0 }?()
    }

    func take() -> [ContextNews] {
        flag.store(false, ordering: .releasing)
        return news.withLock { items in
            defer { items = [] }
            return items
        }
    }

    func setWake(_ body: (@Sendable () -> Void)?) {
        wake.withLock { $0 = body }
    }
}

/// The letter boxes of an instance's contexts.
final class ContextRegister: Sendable {
    private struct Entry: Sendable {
        weak var inbox: ContextInbox?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ inbox: ContextInbox) {
        entries.withLock { entries in
            entries.removeAll { $0.inbox == nil }
            entries.append(Entry(inbox: inbox))
        }
    }

    /// Tells every context but one.
    func tell(_ news: ContextNews, except own: ContextInbox? = nil) {
        let inboxes = entries.withLock { $0.compactMap(\.inbox) }
        for inbox in inboxes where inbox !== own { inbox.put(news) }
    }
}
