import SQLite
import StoreModel

/// `Z_PRIMARYKEY`: the entities' numbers in this store (Format, section 2).
public struct Catalogue: Sendable, Hashable {
    /// A row of the table.
    public struct Row: Sendable, Hashable {
        /// `Z_ENT`.
        public let number: Int64
        /// `Z_NAME`.
        public let name: String
        /// `Z_SUPER`: the parent's number, 0 for a root.
        public let parent: Int64
        /// `Z_MAX`: the highest key handed out; 0 for a subentity.
        public let maximum: Int64
    }

    /// The rows by number.
    public let rows: [Row]
    /// The number of each of the model's entities.
    public let numbers: [String: Int64]
    /// Entities of the model that the catalogue lacks.
    public let missing: [String]

    /// The numbers from here on belong to the history tables.
    public static let firstHistoryNumber: Int64 = 16_000
    /// The number of `CHANGE`.
    public static let changeNumber: Int64 = 16_001
    /// The number of `TRANSACTION`.
    public static let transactionNumber: Int64 = 16_002
    /// The number of `TRANSACTIONSTRING`.
    public static let transactionStringNumber: Int64 = 16_003

    init(rows: [Row], model: ModelDescription) {
        self.rows = rows
        let own = rows.filter { $0.number < Self.firstHistoryNumber }
        let byName = Dictionary(own.map { ($0.name, $0.number) }, uniquingKeysWith: { first, _ in first })
        var numbers: [String: Int64] = [:]
        for entity in model.entities { numbers[entity.name] = byName[entity.name] }
        // An entity that an in-place migration renamed can keep its old name in the catalogue (Format, surprise 10).
        var spare = byName.filter { model[$0.key] == nil }
        var missing: [String] = []
        for (i, entity) in model.numberedEntities.enumerated() where numbers[entity.name] == nil {
            let predicted = Int64(i + 1)
            if let old = entity.renamingIdentifier, let number = spare.removeValue(forKey: old) {
                numbers[entity.name] = number
            } else if let (name, _) = spare.first(where: { $0.value == predicted }) {
                numbers[entity.name] = spare.removeValue(forKey: name)
            } else {
                missing.append(entity.name)
            }
        }
        self.numbers = numbers
        self.missing = missing
    }

    static func read(_ connection: Connection, model: ModelDescription) throws -> Catalogue {
        // A view could have rows without end.
        guard try connection.scalar("SELECT type FROM sqlite_master WHERE name = 'Z_PRIMARYKEY'")?.textValue == "table"
        else {
            throw StoreError(
                .notAStore,
                "\(connection.path) is an SQLite database, but no Core Data store: Z_PRIMARYKEY is no table",
                way: "give the file that Core Data or SwiftData made")
        }
        var rows: [Row] = []
        let sql = "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY ORDER BY Z_ENT"
        try StructureLimit.reading(
            "an entity's name in the catalogue", connection, code: .damaged,
            way: StoreError.wayOfDamage(connection.path)
        ) {
            try connection.cached(sql).forEach { row in
                rows.append(
                    Row(
                        number: row.integer(0), name: row.text(1) ?? "", parent: row.integer(2),
                        maximum: row.integer(3)))
            }
        }
        return Catalogue(rows: rows, model: model)
    }
}
