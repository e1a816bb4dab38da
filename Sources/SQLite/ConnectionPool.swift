import Foundation

/// Connections that are lent out one holder at a time.
public final class ConnectionPool: @unchecked Sendable {
    // Safe to share: `idle`, `count` and `isClosed` are only touched under `condition`'s lock, and a connection is in the
    // hands of one caller between being taken from `idle` and put back.
    private let condition = NSCondition()
    private var idle: [Connection] = []
    private var count = 0
    private var isClosed = false
    private let limit: Int
    private let age: ReaderAge?
    private let make: @Sendable () throws -> Connection

    /// - Parameters:
    ///   - limit: how many connections at most; a caller waits while all are lent out.
    ///   - age: how long a caller may keep one; nil for as long as it likes.
    ///   - make: opens a connection when one more is needed.
    public init(limit: Int, age: ReaderAge? = nil, make: @escaping @Sendable () throws -> Connection) {
        self.limit = max(1, limit)
        self.age = age
        self.make = make
    }

    /// Runs the body with a connection that nobody else uses meanwhile.
    /// - Throws: what opening or the body throws; `PoolClosed` after `close()`.
    public func use<T>(_ body: (Connection) throws -> T) throws -> T {
        let loan = Loan(try take())
        defer { giveBack(loan) }
        return try loan.use(age, body)
    }

    /// The one reference to a connection that is lent out, so that to drop it is to close it.
    private final class Loan {
        var connection: Connection?

        init(_ connection: consuming Connection) { self.connection = connection }

        func use<T>(_ age: ReaderAge?, _ body: (Connection) throws -> T) throws -> T {
            guard let connection else { throw PoolClosed() }
            age?.begin(connection)
            defer {
                age?.end(connection)
                connection.rollback()
            }
            return try body(connection)
        }
    }

    private func take() throws -> Connection {
        condition.lock()
        defer { condition.unlock() }
        while true {
            if isClosed { throw PoolClosed() }
            if let connection = idle.popLast() { return connection }
            if count < limit { break }
            condition.wait()
        }
        count += 1
        do {
            return try make()
        } catch {
            count -= 1
            condition.signal()
            throw error
        }
    }

    private func giveBack(_ loan: Loan) {
        condition.lock()
        if !isClosed, let connection = loan.connection {
            idle.append(connection)
        } else {
            condition.unlock()
            // Closed before it is counted: a read-only connection that is the last one leaves the log beside the file.
            loan.connection = nil
            condition.lock()
            count -= 1
        }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits for the connections that are lent out, and closes all.
    public func close() {
        condition.lock()
        isClosed = true
        count -= idle.count
        idle.removeAll()
        while count > 0 { condition.wait() }
        condition.unlock()
    }

    /// The pool was closed.
    public struct PoolClosed: Error, CustomStringConvertible {
        /// What a person is told.
        public var description: String { "the store has been closed" }
    }
}
