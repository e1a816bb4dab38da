import SQLite
import StoreFormat

/// A change of owner, as `COEXIST_HANDOVER` records it.
public struct HandoverRecord: Sendable, Hashable {
    /// The unit that changed hands.
    public var unit: String
    /// The owner before.
    public var previous: StackName?
    /// The owner from then on.
    public var owner: StackName
    /// The epoch that began.
    public var epoch: Int64
    /// When, in seconds since 2001-01-01 UTC.
    public var at: Double
    /// Who asked for it.
    public var user: String?
    /// Why, in the words of who asked.
    public var reason: String?
    /// The last history transaction under the owner before.
    public var number: Int64

    /// The record of a unit, or of all units, oldest first.
    public static func read(_ connection: Connection, unit: String? = nil) throws -> [HandoverRecord] {
        var records: [HandoverRecord] = []
        let sql = """
            SELECT UNIT, PREVIOUS, OWNER, EPOCH, AT, BY_USER, REASON, NUMBER FROM COEXIST_HANDOVER
            WHERE ?1 IS NULL OR UNIT = ?1 ORDER BY ID
            """
        try connection.prepare(sql).forEach([unit.map { .text($0) } ?? .null]) { row in
            guard let name = row.text(0), let owner = row.text(2).flatMap(StackName.init(rawValue:)) else {
                throw StoreError(
                    .damaged, "COEXIST_HANDOVER names an owner that is no stack",
                    way: "see `coexistctl verify`, and restore a backup")
            }
            records.append(
                HandoverRecord(
                    unit: name, previous: row.text(1).flatMap(StackName.init(rawValue:)), owner: owner,
                    epoch: row.integer(3), at: row.double(4), user: row.text(5), reason: row.text(6),
                    number: row.integer(7)))
        }
        return records
    }
}
