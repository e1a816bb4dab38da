import CSQLite
import Foundation

extension Connection {
    /// Has this connection's writes wait in a queue, with all connections that name the same file.
    /// - Parameters:
    ///   - file: the queue's file, made with the first write and gone with the last member. Where it cannot be made, as
    ///     in a folder that may only be read, the connection waits as SQLite does.
    ///   - label: what to call the connection where somebody waits for it.
    public func useQueue(_ file: String, label: String) {
        queuePlace = QueuePlace(file: file, label: label)
    }

    /// What to call the connection where somebody waits for it.
    public var queueLabel: String {
        get { queuePlace?.label ?? "" }
        set { queuePlace?.label = newValue }
    }

    func leaveQueue() {
        queuePlace?.queue?.leave()
    }

    /// Whether this connection has its turn already, as between a commit and what follows it.
    var hasTurn: Bool { queuePlace?.queue?.isInside ?? false }

    /// Waits in the queue, then has the body take the write lock, until the timeout.
    func waitForWriting(_ take: () throws -> Void) throws {
        let deadline = policy.begin()
        defer { policy.end() }
        var failure: SQLiteError?
        // The holder as first seen: it has had the lock since then at least.
        var first: LockHolder?
        let lookOut = {
            if first == nil { first = self.writeLockHolder() }
        }
        policy.onPatienceLost = lookOut
        func attempt(_ kind: WriterQueue.Attempt) throws -> Bool {
            policy.isPatient = kind == .turn
            defer { policy.isPatient = true }
            do {
                try take()
                return true
            } catch let error as SQLiteError where error.isBusy {
                failure = error
                if kind == .glance { lookOut() }
                return false
            }
        }
        let isDone: Bool
        if let queue = openQueue() {
            isDone = try queue.enter(until: deadline, label: queuePlace?.labelBytes ?? [], attempt)
        } else {
            isDone = try attempt(.turn)
        }
        guard !isDone, var failure else { return }
        failure.holder = writeLockHolder().map { $0.seenBefore(first) }
        throw failure
    }

    /// Waits for this connection's turn alone; no attempt is made while others are ahead.
    /// - Returns: whether it came before the deadline.
    func waitForTurn(until deadline: UInt64) -> Bool {
        guard let queue = openQueue() else { return true }
        return queue.enter(until: deadline, label: queuePlace?.labelBytes ?? []) { $0 == .turn }
    }

    private func openQueue() -> WriterQueue? {
        guard var place = queuePlace else { return nil }
        // Somebody may have removed the file: those who come after would wait in another line.
        if let queue = place.queue, !queue.isInside, !queue.isThere { place.isOpened = false }
        if !place.isOpened {
            place.isOpened = true
            place.queue = WriterQueue(place.file, like: path)
            queuePlace = place
        }
        return place.queue
    }

    /// Who holds the lock that a write needs, as far as it can be seen; nil where nobody does any more.
    func writeLockHolder() -> LockHolder? {
        let members = queuePlace?.queue?.members ?? []
        guard let found = SQLiteLocks.holder(databasePath: path) else {
            // Locks of this process' other connections are not shown.
            return members.first { $0.since != nil }.map { LockHolder($0) }
        }
        var holder = LockHolder(processID: found)
        if let member = members.first(where: { $0.processID == found && $0.since != nil }) {
            holder.label = member.label
            holder.since = member.since
        }
        return holder
    }
}

/// A connection's place in a queue.
struct QueuePlace {
    let file: String
    var label: String {
        didSet { labelBytes = Array(label.utf8) }
    }
    private(set) var labelBytes: [UInt8]
    var isOpened = false
    var queue: WriterQueue?

    init(file: String, label: String) {
        self.file = file
        self.label = label
        labelBytes = Array(label.utf8)
    }
}
