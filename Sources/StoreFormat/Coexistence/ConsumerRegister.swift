import Foundation
import SQLite

/// The durable readers of a store's history, each with the last transaction that it has acknowledged. What a reader has
/// not acknowledged is not purged, unless it is given up as expired.
public struct ConsumerRegister {
    private let connection: Connection
    private let store: Store

    /// A durable reader.
    public struct Consumer: Sendable, Hashable {
        /// The name that it was added under.
        public var name: String
        /// The last transaction that it has acknowledged.
        public var number: Int64
        /// Whether history after its place is kept for it.
        public var state: State
        /// When it was added or last acknowledged: seconds since 2001-01-01 UTC.
        public var at: Double
    }

    /// Whether a reader can go on.
    public enum State: String, Sendable, Hashable {
        case active
        /// History after its place was purged, or may be: it has to be added anew, and then to read everything once.
        case expired
    }

    /// Reads and writes the register through a connection; the writing functions are to be run in a write transaction.
    public init(_ connection: Connection, store: Store) {
        self.connection = connection
        self.store = store
    }

    /// All readers, by name. None in a store that has not been adopted.
    public func all() throws -> [Consumer] {
        try rows("ORDER BY NAME")
    }

    private func rows(_ clause: String, _ values: [SQLValue] = []) throws -> [Consumer] {
        guard try CoexistenceTables.exist(connection) else { return [] }
        return try connection.query("SELECT NAME, NUMBER, STATE, AT FROM COEXIST_CONSUMER \(clause)", values).map {
            row in
            Consumer(
                name: row[0].textValue ?? "", number: row[1].integerValue ?? 0,
                state: row[2].textValue.flatMap(State.init(rawValue:)) ?? .expired, at: row[3].doubleValue ?? 0)
        }
    }

    /// Adds a reader that has read everything up to a transaction.
    /// - Throws: `StoreError` `AlreadyExists`, `TokenExpired` where history after the number is gone, `Refused` for a
    ///   number that is not reached or a name that is none.
    public func add(_ name: String, from number: Int64) throws {
        guard (1...100).contains(name.utf8.count), name.utf8.allSatisfy(Self.isNameByte) else {
            throw StoreError(
                .refused, "\"\(name)\" is no name for a consumer",
                way: "use 1 to 100 letters, digits, dots, hyphens and underscores")
        }
        if let known = try find(name) {
            throw StoreError(
                .alreadyExists, "there is a consumer \(name) already, at transaction \(known.number)",
                way: "take another name, or remove it first")
        }
        let reader = HistoryReader(connection, store: store)
        try reader.checkReach(number)
        try reader.checkReached(number)
        try connection.run(
            "INSERT INTO COEXIST_CONSUMER (NAME, NUMBER, STATE, AT) VALUES (?, ?, ?, ?)",
            [.text(name), .integer(number), .text(State.active.rawValue), .real(now)])
    }

    /// Takes note that a reader has dealt with everything up to a transaction. To say so again changes nothing.
    /// - Throws: `StoreError` `UnknownObject`, `TokenExpired` for a reader that is expired, `Refused` for a number that lies
    ///   before an acknowledged one, or ahead of history.
    public func acknowledge(_ name: String, _ number: Int64) throws {
        let consumer = try existing(name)
        guard consumer.state == .active else {
            throw StoreError(
                .tokenExpired, "consumer \(name) is expired: history after transaction \(consumer.number) is not kept",
                way:
                    "first remove it and add it again, then read everything once, and go on from where it was added: what is "
                    + "committed while it reads comes after that")
        }
        guard number >= consumer.number else {
            throw StoreError(
                .refused, "consumer \(name) has acknowledged transaction \(consumer.number) already",
                way:
                    "an acknowledgement cannot be taken back: remove it and add it again from a token that is still there"
            )
        }
        try HistoryReader(connection, store: store).checkReached(number)
        try connection.run(
            "UPDATE COEXIST_CONSUMER SET NUMBER = ?, AT = ? WHERE NAME = ?",
            [.integer(number), .real(now), .text(name)])
    }

    /// Removes a reader; nothing is kept for it any more.
    /// - Throws: `StoreError` `UnknownObject`.
    public func remove(_ name: String) throws {
        _ = try existing(name)
        try connection.run("DELETE FROM COEXIST_CONSUMER WHERE NAME = ?", [.text(name)])
    }

    /// Gives up the active readers that are behind a transaction.
    /// - Returns: their names.
    public func expire(behind number: Int64) throws -> [String] {
        let behind = try all().filter { $0.state == .active && $0.number < number }.map(\.name)
        for name in behind {
            try connection.run(
                "UPDATE COEXIST_CONSUMER SET STATE = ? WHERE NAME = ?", [.text(State.expired.rawValue), .text(name)])
        }
        return behind
    }

    private var now: Double { Date().timeIntervalSinceReferenceDate }

    private func find(_ name: String) throws -> Consumer? { try rows("WHERE NAME = ?", [.text(name)]).first }

    private func existing(_ name: String) throws -> Consumer {
        guard let consumer = try find(name) else {
            throw StoreError(
                .unknownObject, "there is no consumer \(name)", way: "`coexistctl consumers` lists them")
        }
        return consumer
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
