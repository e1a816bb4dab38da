/// An index of an entity's table (Format, section 4).
struct IndexPlan: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// Of a to-one's key, or of the key of a to-many without inverse.
        case key
        /// Of `Z_ENT`, for a table with subentities.
        case entity
        /// Of the model's own making.
        case fetch
        /// Of a uniqueness constraint.
        case unique
    }

    struct Column: Sendable, Hashable {
        let name: String
        /// What stands behind the name: collation and direction.
        var suffix = ""
    }

    let kind: Kind
    let name: String
    let table: String
    let columns: [Column]
    /// What it is an index of, for messages.
    let place: String
    /// The condition of a partial index.
    var filter: String?

    var statement: String {
        "CREATE \(kind == .unique ? "UNIQUE " : "")INDEX \(name) ON \(table) "
            + "(\(columns.map { $0.name + $0.suffix }.joined(separator: ", ")))" + (filter.map { " WHERE \($0)" } ?? "")
    }
}
