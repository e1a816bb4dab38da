import Foundation

/// Who holds a database's write lock, as far as it can be seen from this process.
public struct LockHolder: Sendable, Hashable, CustomStringConvertible {
    /// The process; nil where it is in another namespace.
    public var processID: Int32?
    /// The name of its program; nil where it may not be seen.
    public var processName: String?
    /// Whether the process is stopped, as by SIGSTOP or in a debugger.
    public var isStopped = false
    /// Whether it only reads: with a rollback journal a commit waits for readers.
    public var isReader = false
    /// Which connection of the process, where it is in the queue.
    public var label: String?
    /// Since when it has the lock, or the time when it was seen first.
    public var since: Date?
    /// Whether `since` is when it was seen first.
    public var isSinceSeen = false

    /// A process, with what the system tells of it.
    /// - Parameter processID: 0 for one in another namespace.
    public init(processID: Int32) {
        guard processID > 0 else { return }
        self.processID = processID
        guard let state = ProcessState(processID) else { return }
        processName = state.name
        isStopped = state.isStopped
    }

    /// A process that reads, where readers are in a writer's way.
    init(readerID: Int32) {
        self.init(processID: readerID)
        isReader = true
    }

    /// A member of the queue that has the lock.
    public init(_ member: WriterQueue.Member) {
        self.init(processID: member.processID)
        label = member.label
        since = member.since
    }

    /// The same, with the time when it was seen first where nothing says better.
    func seenBefore(_ first: LockHolder?) -> LockHolder {
        var result = self
        guard since == nil else { return self }
        result.isSinceSeen = true
        result.since = first?.processID == processID ? first?.seen ?? seen : seen
        return result
    }

    /// When this was made.
    private let seen = Date()

    /// The process, its name, and since when: `process 4711 (photoanalysisd) since 2026-11-30T08:00:00Z`.
    public var description: String {
        var parts: [String] = []
        switch processID {
        case nil: parts.append("a process that cannot be seen from here")
        case getpid(): parts.append("this process (\(getpid()))")
        case let id?: parts.append("process \(id) (\(processName ?? "its name cannot be seen from here"))")
        }
        if let label, !label.isEmpty { parts.append(label) }
        if isStopped { parts.append("which is stopped") }
        let who = parts.joined(separator: ", ")
        guard let since else { return who }
        return who + (parts.count > 1 ? ", " : " ") + "since \(since.formatted(.iso8601))"
            + (isSinceSeen ? " or before" : "")
    }
}

/// What `/proc` tells of a process.
public struct ProcessState: Sendable, Hashable {
    /// The name of its program, up to 15 bytes.
    public var name: String
    /// Whether it is stopped, as by SIGSTOP or in a debugger.
    public var isStopped: Bool

    /// Nil where there is no such process, or it may not be seen.
    public init?(_ processID: Int32) {
        // "4711 (a name (with parentheses)) T 1 …", proc(5).
        guard let text = KernelFile.text(at: "/proc/\(processID)/stat"),
            let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")"), open < close
        else { return nil }
        name = String(text[text.index(after: open)..<close])
        let state = text[text.index(after: close)...].first { $0 != " " }
        isStopped = state == "T" || state == "t"
    }
}
