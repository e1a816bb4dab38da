import Foundation
import StoreFormat
import Synchronization

/// What contexts are told from other threads.
enum ContextNews: Sendable {
    case changed([ObjectChange])
    /// Everything of the trees with these indexes, or all, may have changed.
    case dropped(Set<Int>?)
}

/// A context's letter box: filled from any thread, emptied by the context where it runs.
final class ContextInbox: Sendable {
    private let letters = Mutex(Letters())
    private let flag = Atomic<Bool>(false)
    /// Called after something came in, on the sender's thread.
    private let wake: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

    private struct Letters {
        var news: [ContextNews] = []
        /// Changes in them, and letters.
        var size = 0

        mutating func add(_ item: ContextNews) {
            news.append(item)
            size += 1
            if case .changed(let changes) = item { size += changes.count }
            guard size > HistoryReplay.waitingChanges else { return }
            var roots: Set<Int>? = []
            for item in news {
                switch item {
                case .changed(let changes): roots?.formUnion(changes.lazy.map(\.root))
                case .dropped(let some?): roots?.formUnion(some)
                case .dropped(nil): roots = nil
                }
            }
            news = [.dropped(roots)]
            size = 1
        }
    }

    var hasNews: Bool { flag.load(ordering: .acquiring) }

    func put(_ item: ContextNews) {
        letters.withLock { $0.add(item) }
        flag.store(true, ordering: .releasing)
        wake.withLock { $0 }?()
    }

    func take() -> [ContextNews] {
        flag.store(false, ordering: .releasing)
        return letters.withLock { letters in
            defer { letters = Letters() }
            return letters.news
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

    /// Whether a context is there.
    var hasAny: Bool { entries.withLock { $0.contains { $0.inbox != nil } } }

    /// Tells every context but one.
    func tell(_ news: ContextNews, except own: ContextInbox? = nil) {
        let inboxes = entries.withLock { $0.compactMap(\.inbox) }
        for inbox in inboxes where inbox !== own { inbox.put(news) }
    }
}
