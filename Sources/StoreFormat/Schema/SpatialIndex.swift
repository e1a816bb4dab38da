import StoreModel

/// An R*Tree index: a virtual table and the triggers that fill it (Format, section 4).
struct SpatialIndex {
    let table: String
    /// The owner's columns, one for each dimension.
    let columns: [String]
    /// The virtual table's name.
    let name: String
    /// What it is an index of, for messages.
    let place: String

    /// Puts the rows in that are in the owner's table already, as the triggers would have.
    var filling: String {
        let values = columns.map { ", \($0), \($0)" }.joined()
        return "INSERT OR REPLACE INTO \(name) SELECT Z_PK\(values) FROM main.\(table)"
    }

    var statements: [String] {
        let bounds = columns.flatMap { ["\($0)_MIN", "\($0)_MAX"] }
        let declared = bounds.map { ", \($0) FLOAT" }.joined()
        let named = bounds.map { ", \($0)" }.joined()
        // The blank before the comma is Core Data's own.
        let values = columns.map { "NEW.\($0) ,NEW.\($0)" }.joined(separator: ", ")
        let filled = "INTO \(name) (Z_PK\(named)) VALUES (NEW.Z_PK, \(values)) ;"
        return [
            "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY\(declared))",
            "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(table) FOR EACH ROW BEGIN INSERT OR REPLACE \(filled) END",
            "CREATE TRIGGER \(name)_UPDATE AFTER UPDATE ON \(table) FOR EACH ROW BEGIN "
                + "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT \(filled) END",
            "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(table) FOR EACH ROW BEGIN "
                + "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK ; END",
        ]
    }
}
