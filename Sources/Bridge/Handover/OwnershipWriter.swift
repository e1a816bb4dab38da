import Foundation
import SQLite
import StoreFormat

/// Changes the ownership register: each in one transaction of its own, counted as a commit of ours.
struct OwnershipWriter {
    let connection: Connection

    /// Sets or clears a unit's flag; owner and epoch stay.
    /// - Returns: the unit as it then is.
    @discardableResult
    func setFreeze(_ freeze: OwnershipRegister.Freeze?, unit: String) throws -> OwnershipRegister.Unit {
        try connection.transaction(.immediate) {
            try connection.run(
                "UPDATE COEXIST_UNIT SET FROZEN = ? WHERE NAME = ?", [.integer(freeze?.rawValue ?? 0), .text(unit)])
            try CoexistenceState.countCommit(connection)
            return try current(unit)
        }
    }

    /// Freezes a unit for a handover.
    /// - Returns: the last transaction number at that moment.
    /// - Throws: `StoreError` `Refused` if the unit is not as it was before.
    func freeze(_ before: OwnershipRegister.Unit, store: Store) throws -> Int64 {
        try connection.transaction(.immediate) {
            guard try current(before.name) == before else {
                throw StoreError(
                    .refused, "\(before.name) was frozen or handed over meanwhile", way: "start the handover again")
            }
            try connection.run(
                "UPDATE COEXIST_UNIT SET FROZEN = ? WHERE NAME = ?",
                [.integer(OwnershipRegister.Freeze.handover.rawValue), .text(before.name)])
            try CoexistenceState.countCommit(connection)
            return try HistoryReader(connection, store: store).last()
        }
    }

    /// Clears every flag: after a daemon that froze a unit and is gone.
    /// - Returns: the units that were frozen.
    func thawAll() throws -> [String] {
        try connection.transaction(.immediate) {
            let thawed = try AbandonedFreeze.undo(connection)
            if !thawed.isEmpty { try CoexistenceState.countCommit(connection) }
            return thawed
        }
    }

    /// Who hands over, and why.
    struct Cause {
        var user: String?
        var reason: String?
    }

    /// Gives a frozen unit to its new owner: epoch + 1, flag cleared, and a record of it.
    /// - Parameter beforeCommit: called when all is written; what it throws undoes it.
    /// - Throws: `StoreError` `Refused` if the unit is not frozen at that epoch any more.
    func switchOwner(
        unit: String, to owner: StackName, atEpoch epoch: Int64, cause: Cause, store: Store,
        beforeCommit: () throws -> Void
    ) throws -> (OwnershipRegister.Unit, Int64) {
        try connection.transaction(.immediate) {
            let now = Date().timeIntervalSinceReferenceDate
            let before = try current(unit)
            guard before.isFrozen, before.epoch == epoch else {
                throw StoreError(
                    .refused, "\(unit) was thawed or handed over meanwhile (epoch \(before.epoch))",
                    way: "start the handover again")
            }
            try connection.run(
                "UPDATE COEXIST_UNIT SET OWNER = ?, PREVIOUS = ?, EPOCH = EPOCH + 1, FROZEN = 0, SINCE = ? WHERE NAME = ?",
                [.text(owner.rawValue), .text(before.owner.rawValue), .real(now), .text(unit)])
            let last = try HistoryReader(connection, store: store).last()
            try connection.run(
                """
                INSERT INTO COEXIST_HANDOVER (UNIT, PREVIOUS, OWNER, EPOCH, AT, BY_USER, REASON, NUMBER)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(unit), .text(before.owner.rawValue), .text(owner.rawValue), .integer(epoch &+ 1), .real(now),
                    cause.user.map { .text($0) } ?? .null, cause.reason.map { .text($0) } ?? .null, .integer(last),
                ])
            try CoexistenceState.countCommit(connection)
            let switched = try current(unit)
            try beforeCommit()
            return (switched, last)
        }
    }

    private func current(_ unit: String) throws -> OwnershipRegister.Unit {
        guard let found = try OwnershipRegister.read(connection)?.units[unit] else {
            throw StoreError(
                .unknownEntity, "there is no unit \(unit) in the ownership register", way: "see `coexistctl owners`")
        }
        return found
    }
}
