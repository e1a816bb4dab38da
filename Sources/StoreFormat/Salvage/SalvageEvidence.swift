import SQLite

/// What other pages of a damaged file say of how many rows a table had: its indexes, and history.
struct SalvageEvidence {
    private let source: SalvageSource

    init(_ source: SalvageSource) {
        self.source = source
    }

    struct Counts {
        /// Rows of the table; nil where nothing tells.
        var table: Int64?
        /// Objects of exactly each entity, where something tells.
        var entities: [String: Int64]
    }

    /// How many are lost of so many that there were. Who counts fewer than were read knows nothing of what else a file had
    /// whose end is missing.
    func lost(of count: Int64?, read: Int64) -> Int64? {
        count.flatMap { $0 < read && !source.isWhole ? nil : max(0, $0 - read) }
    }

    func counts(_ table: String, _ entities: [String]) -> Counts {
        let indexes = self.indexes(table)
        // An index that lists fewer rows than another one is damaged itself.
        let counts = indexes.compactMap { index in
            count("SELECT count(*) FROM \(table.sqlIdentifier) INDEXED BY \(index.sqlIdentifier)")
        }
        var byEntity: [String: Int64] = [:]
        if indexes.contains("\(table)_Z_ENT_INDEX") {
            for entity in entities {
                guard let number = source.catalogue.numbers[entity] else { continue }
                byEntity[entity] = count(
                    "SELECT count(*) FROM \(table.sqlIdentifier) INDEXED BY \("\(table)_Z_ENT_INDEX".sqlIdentifier) "
                        + "WHERE Z_ENT = \(number)")
            }
        }
        for entity in entities where byEntity[entity] == nil { byEntity[entity] = fromHistory(entity) }
        return Counts(table: counts.max(), entities: byEntity)
    }

    private func indexes(_ table: String) -> [String] {
        let sql = """
            SELECT l.name FROM pragma_index_list(?) l JOIN sqlite_master m ON m.name = l.name
            WHERE l.partial = 0 AND m.sql IS NOT NULL
            """
        return (try? source.connection.query(sql, [.text(table)]))?.compactMap { $0[0].textValue } ?? []
    }

    /// Objects that were inserted since history began, and not deleted: all there are, if history was never purged.
    private func fromHistory(_ entity: String) -> Int64? {
        guard let number = source.catalogue.numbers[entity], source.tables["ACHANGE"] != nil,
            count("SELECT ifnull(min(Z_PK), 0) FROM ATRANSACTION") == 1
        else { return nil }
        return count(
            """
            SELECT (SELECT count(*) FROM ACHANGE WHERE ZENTITY = \(number) AND ZCHANGETYPE = 0)
                - (SELECT count(*) FROM ACHANGE WHERE ZENTITY = \(number) AND ZCHANGETYPE = 2)
            """)
    }

    private func count(_ sql: String) -> Int64? {
        (try? source.connection.scalar(sql))?.integerValue
    }
}
