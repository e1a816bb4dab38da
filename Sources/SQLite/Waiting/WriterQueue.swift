import CLinux
import Foundation

/// The line in which connections wait for a database's write lock, in one process and across processes: SQLite's own
/// waiting has no order, so that a writer who comes back at once can keep the others out.
///
/// Whoever wants to write takes a ticket and waits until nobody with a lower one is left. SQLite's lock alone decides who
/// writes: somebody who ignores the queue, or whose ticket was skipped, costs order and nothing else.
///
/// One who was killed leaves the line at once. One who was stopped in it holds the others up for `patience`: then they
/// pass by, the next first.
public final class WriterQueue {
    private let file: QueueFile
    private var ticket: UInt64?

    /// Nanoseconds without anybody's leaving after which a waiter tries whether the lock is free.
    private static let patience: UInt64 = 100_000_000
    /// Nanoseconds between looks at those ahead: nobody tells of one who was killed.
    private static let poll: UInt64 = 20_000_000

    /// A member of the queue: somebody who writes or waits.
    public struct Member: Sendable, Hashable {
        let ticket: UInt64
        /// The process; 0 for one in another namespace.
        public var processID: Int32
        /// Which of its connections.
        public var label: String
        /// When it got the write lock; nil while it waits.
        public var since: Date?
    }

    /// Who has a place in the queue whose file is at a path: those who write and wait, the next first. Looked at without
    /// joining; empty where there is no queue.
    public static func members(at path: String) -> [Member] { QueueFile.members(at: path) }

    init?(_ path: String, like database: String) {
        guard let file = QueueFile(path, like: database) else { return nil }
        self.file = file
    }

    deinit {
        leave()
    }

    var isInside: Bool { ticket != nil }
    /// Whether the file still lies at its path.
    var isThere: Bool { file.isThere }
    var members: [Member] { file.members }

    /// How an attempt at the lock is made.
    enum Attempt {
        /// It is this connection's turn: wait for the lock until the deadline.
        case turn
        /// Others are ahead, but do not seem to move: do not wait.
        case glance
    }

    /// Waits for this connection's turn, and then for the lock. The place is kept until `leave()`.
    /// - Parameters:
    ///   - deadline: in `Monotonic` nanoseconds.
    ///   - attempt: tries to take the lock; returns whether it has.
    /// - Returns: what the last attempt returned. If it is false, or the attempt throws, the place is given up.
    func enter(until deadline: UInt64, label: [UInt8], _ attempt: (Attempt) throws -> Bool) rethrows -> Bool {
        leave()
        guard let ticket = file.takeTicket() else { return try attempt(.turn) }
        self.ticket = ticket
        file.note(ticket, label: label)
        var isDone = false
        defer {
            if isDone { file.noteStart(ticket) } else { leave() }
        }
        var departures = coexist_queue_departures(file.page)
        var quietSince = Monotonic.now
        while true {
            let seen = coexist_queue_departures(file.page)
            guard let ahead = ahead(of: ticket) else {
                isDone = try attempt(.turn)
                return isDone
            }
            let now = Monotonic.now
            if seen != departures { (departures, quietSince) = (seen, now) }
            let isQuiet = now - quietSince >= Self.patience
            // Who is nearer to the turn tries earlier, so that the order holds behind one that is stuck too.
            let stuck = isQuiet ? all(below: ticket) : []
            let isStuck = isQuiet && now - quietSince >= Self.patience * UInt64(stuck.count)
            if isStuck || now >= deadline {
                isDone = try attempt(.glance)
                if isDone, isStuck, let first = stuck.min() { coexist_queue_skip(file.page, first) }
                if isDone || now >= deadline { return isDone }
            }
            coexist_queue_sleep(file.page, seen, min(deadline, now + Self.poll), Self.bits(ahead))
        }
    }

    /// Gives the place up, and wakes who waits for that.
    func leave() {
        guard let ticket else { return }
        self.ticket = nil
        file.forget(ticket)
        file.giveBack(ticket)
        coexist_queue_depart(file.page, Self.bits(ticket))
    }

    private static func bits(_ ticket: UInt64) -> UInt32 { 1 << UInt32(ticket & 31) }

    /// The one to wait for: the next ticket below, where somebody holds it.
    private func ahead(of ticket: UInt64) -> UInt64? {
        guard let any = file.held(waitedFor(below: ticket)) else { return nil }
        return any == ticket - 1 ? any : file.held(ticket - 1..<ticket) ?? any
    }

    /// The tickets below that somebody holds, in no order; at most as many as have a slot.
    private func all(below ticket: UInt64) -> [UInt64] {
        var found: [UInt64] = []
        var ranges = [waitedFor(below: ticket)]
        while let range = ranges.popLast(), found.count < Int(COEXIST_QUEUE_SLOTS) {
            guard let next = file.held(range) else { continue }
            found.append(next)
            ranges += [range.lowerBound..<next, next + 1..<range.upperBound]
        }
        return found
    }

    private func waitedFor(below ticket: UInt64) -> Range<UInt64> {
        let skipped = coexist_queue_skipped(file.page)
        return skipped < ticket ? skipped + 1..<ticket : ticket..<ticket
    }
}

/// A clock that nobody sets.
enum Monotonic {
    /// Nanoseconds of `CLOCK_MONOTONIC`.
    static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
