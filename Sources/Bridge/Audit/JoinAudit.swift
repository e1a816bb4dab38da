import SQLite
import StoreFormat

/// Whether history explains the pairs of many-to-manys: one that the backup has and the store has not, or the other way
/// round, needs a change of either object.
///
/// Both tables go by side by side, in the order of their first key; then, in the order of the second, what no change of the
/// first object explains. Memory: one row of each; what waits for the second look lies in a private file of SQLite's.
struct JoinAudit {
    /// Inside a transaction, as the store is.
    let now: Connection
    let store: Store
    let base: AuditBase

    func run(_ report: inout AuditReport) throws {
        for table in JoinEnds.all(store.layout) { try run(table, &report) }
    }

    private func run(_ ends: JoinEnds, _ report: inout AuditReport) throws {
        let (first, second) = (ends.first.column.sqlIdentifier, ends.second.column.sqlIdentifier)
        let select = "SELECT \(first), \(second) FROM \(ends.table.sqlIdentifier) ORDER BY 1, 2"
        let old = try PairCursor(base.connection.prepare(select))
        let new = try PairCursor(now.prepare(select))
        var rest: Connection?
        var changes: PairChanges?
        while let pair = [old.pair, new.pair].compactMap({ $0 }).min() {
            report.pairs += 1
            let isThere = new.pair == pair
            if (old.pair == pair) != isThere {
                let known = try changes ?? PairChanges(now, ends.first, after: base.last)
                changes = known
                if try !known.explains(pair.first) {
                    let file = try rest ?? Self.privateTable()
                    rest = file
                    try file.cached("INSERT INTO pairs VALUES (?, ?, ?)").run([
                        .integer(pair.second), .integer(pair.first), .integer(isThere ? 1 : 0),
                    ])
                }
            }
            if old.pair == pair { try old.advance() }
            if new.pair == pair { try new.advance() }
        }
        guard let rest else { return }
        changes = nil
        let others = try PairChanges(now, ends.second, after: base.last)
        let left = try rest.prepare("SELECT second, first, is_there FROM pairs ORDER BY 1, 2")
        while try left.step() {
            guard try !others.explains(left.integer(0)) else { continue }
            let object = try name(left.integer(1), ends.first)
            let other = try name(left.integer(0), ends.second)
            report.add(
                .pair, "\(object).\(ends.name)",
                left.integer(2) == 1
                    ? "\(other) is among them, and was not in the backup, and no change of either marks it"
                    : "\(other) was among them in the backup, and is no more, and no change of either marks it")
        }
    }

    private static func privateTable() throws -> Connection {
        let connection = try Connection(path: "", mode: .readWriteCreate)
        try connection.execute("CREATE TABLE pairs (second INTEGER, first INTEGER, is_there INTEGER); BEGIN")
        return connection
    }

    /// The object's name, by the row's own entity where there is a row.
    private func name(_ key: Int64, _ end: JoinEnds.End) throws -> ObjectReference {
        for connection in [now, base.connection] {
            let number = try connection.scalar(
                "SELECT Z_ENT FROM \(end.table.sqlIdentifier) WHERE Z_PK = ?", [.integer(key)])
            if let number = number?.integerValue, let entity = store.layout[number: number] {
                return ObjectReference(entity: entity.name, key: key)
            }
        }
        return ObjectReference(entity: end.root, key: key)
    }
}

/// Two keys, as a row of a join table holds them.
private struct Pair: Comparable {
    var first: Int64
    var second: Int64

    static func < (a: Pair, b: Pair) -> Bool { (a.first, a.second) < (b.first, b.second) }
}

private final class PairCursor {
    private let row: Statement
    /// The pair that the cursor is at; nil at the end.
    private(set) var pair: Pair?

    init(_ statement: Statement) throws {
        row = statement
        try advance()
    }

    func advance() throws {
        pair = try row.step() ? Pair(first: row.integer(0), second: row.integer(1)) : nil
    }
}

/// Which objects of one end have a change that can explain a pair: they were inserted or deleted, or an update marks the
/// relationship. Which slot a to-many has in bitmaps that others wrote is not settled (Format, section 8.4): there any
/// update does.
private final class PairChanges {
    private let row: Statement
    private let end: JoinEnds.End
    private var isAtRow = false
    private var last: (key: Int64, isExplained: Bool)?

    init(_ connection: Connection, _ end: JoinEnds.End, after base: Int64) throws {
        self.end = end
        row = try connection.prepare(
            """
            SELECT ZENTITYPK, ZENTITY, ZCHANGETYPE, ZCOLUMNS,
                EXISTS (SELECT 1 FROM COEXIST_TRANSACTION w WHERE w.NUMBER = c.ZTRANSACTIONID)
            FROM ACHANGE c WHERE ZTRANSACTIONID > \(base)
                AND ZENTITY IN (\(end.slots.keys.sorted().map(String.init).joined(separator: ", "))) ORDER BY ZENTITYPK
            """)
        isAtRow = try row.step()
    }

    /// To be asked for keys in rising order.
    func explains(_ key: Int64) throws -> Bool {
        if let last, last.key == key { return last.isExplained }
        var isExplained = false
        while isAtRow, row.integer(0) <= key {
            if row.integer(0) == key, !isExplained { isExplained = marks() }
            isAtRow = try row.step()
        }
        last = (key, isExplained)
        return isExplained
    }

    private func marks() -> Bool {
        guard row.integer(2) == HistoryChange.Kind.update.rawValue, row.integer(4) == 1 else { return true }
        guard let slot = end.slots[row.integer(1)] ?? nil else { return false }
        return row.withBlob(3) { bits in slot >> 3 < bits.count && bits[slot >> 3] & (0x80 >> UInt8(slot & 7)) != 0 }
    }
}
