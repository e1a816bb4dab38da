import SQLite
import StoreFormat

/// The entity number of every row of a table: for reading many objects with what their keys lead to.
struct KeyMap {
    private var dense: [Int32] = []
    private var sparse: [Int64: Int32] = [:]

    init(_ connection: Connection, table: String) throws {
        let extent =
            try connection.query("SELECT count(*), max(Z_PK), min(Z_PK) FROM \(table.sqlIdentifier)").first ?? []
        let count = extent.first?.integerValue ?? 0
        let highest = extent.count > 1 ? extent[1].integerValue ?? 0 : 0
        let lowest = extent.count > 2 ? extent[2].integerValue ?? 0 : 0
        // An array where keys are close to one another, at most four times as long as there are rows.
        let isDense = lowest >= 0 && highest <= count &* 4 &+ 1024
        if isDense {
            dense = [Int32](repeating: 0, count: Int(highest) + 1)
        } else {
            sparse.reserveCapacity(Int(count))
        }
        let statement = try connection.prepare("SELECT Z_PK, Z_ENT FROM \(table.sqlIdentifier)")
        while try statement.step() {
            let number = Int32(truncatingIfNeeded: statement.integer(1))
            let key = statement.integer(0)
            // In a damaged table a row's key can lie outside of what min and max said.
            if isDense, key >= 0, key < Int64(dense.count) { dense[Int(key)] = number } else { sparse[key] = number }
        }
    }

    /// The number; nil where there is no row.
    subscript(key: Int64) -> Int64? {
        if key >= 0, key < Int64(dense.count), dense[Int(key)] != 0 { return Int64(dense[Int(key)]) }
        return sparse[key].map(Int64.init)
    }
}
