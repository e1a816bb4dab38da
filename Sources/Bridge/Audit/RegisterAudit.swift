import SQLite
import StoreFormat

/// Whether the register says of every entity and join table who owns it: of one that it lacks nothing can be proved. And
/// whether the tables are there.
struct RegisterAudit {
    private let connection: Connection
    private let store: Store
    private let register: OwnershipRegister

    init(_ connection: Connection, store: Store, register: OwnershipRegister) {
        self.connection = connection
        self.store = store
        self.register = register
    }

    func run(_ report: inout AuditReport) throws {
        let lost = try store.lostTables(connection)
        for table in lost {
            report.add(.object, table.root, "its table \(table.table) is gone, with every row")
        }
        // Without a table one cannot see what belongs together.
        let units = lost.isEmpty ? OwnershipUnits.group(store.layout) : [:]
        var expected: [String: String] = [:]
        for (unit, entities) in units { for entity in entities { expected[entity] = unit } }
        for entity in store.layout.entities {
            guard let unit = register.unitOfEntity[entity.name] else {
                report.add(.record, entity.name, "the register has no unit of it: who wrote it is not proved")
                continue
            }
            if register.units[unit] == nil {
                report.add(.record, entity.name, "its unit \(unit) is not in the register: who wrote it is not proved")
            } else if let expected = expected[entity.name], expected != unit {
                report.add(
                    .record, entity.name, "the register has it in the unit \(unit), but it belongs to \(expected)")
            }
        }
        try joins(&report)
    }

    private func joins(_ report: inout AuditReport) throws {
        let tables = OwnershipUnits.joinTables(store.layout).keys.sorted()
        for table in tables {
            guard let unit = register.unitOfJoinTable[table] else {
                report.add(.record, table, "the register has no owner of its pairs: who wrote them is not proved")
                continue
            }
            if register.units[unit] == nil {
                report.add(
                    .record, table,
                    "the owner of its pairs, \(unit), is not in the register: who wrote them is not proved")
            }
        }
        for table in register.unitOfJoinTable.keys.sorted() where !tables.contains(table) {
            let sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
            if try connection.scalar(sql, [.text(table)]) == nil {
                report.add(.pair, table, "the table is gone, with every pair")
            }
        }
    }
}
