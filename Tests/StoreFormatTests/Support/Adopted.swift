import SQLite
import StoreFormat

extension SampleStore {
    /// Makes our tables as an adoption does, with every unit owned by one stack, or by the one that is named for it.
    func adopt(owner: StackName = .legacy, _ owners: [String: StackName] = [:], guardMode: GuardMode = .off) throws {
        try connection.transaction(.immediate) {
            try CoexistenceTables.create(connection)
            try connection.run(
                "INSERT INTO COEXIST_STATE VALUES (1, 2, 0, 1, 0, 0, ?, 0, 'wal', NULL, 0)",
                [.text(guardMode.rawValue)])
            var unitOfRoot: [String: String] = [:]
            for (unit, entities) in OwnershipUnits.group(store.layout) {
                try connection.run(
                    "INSERT INTO COEXIST_UNIT VALUES (?, ?, NULL, 1, 0, 0)",
                    [.text(unit), .text((owners[unit] ?? owner).rawValue)])
                for name in entities {
                    let entity = try store.layout.entity(name)
                    unitOfRoot[entity.rootName] = unit
                    try connection.run(
                        "INSERT INTO COEXIST_ENTITY VALUES (?, ?, ?)",
                        [.integer(entity.number), .text(name), .text(unit)])
                }
            }
            for (table, root) in OwnershipUnits.joinTables(store.layout) {
                try connection.run(
                    "INSERT INTO COEXIST_JOIN VALUES (?, ?)", [.text(table), .text(unitOfRoot[root] ?? root)])
            }
        }
    }

    /// What an instance of that stack that opens now may write.
    func authority(_ stack: StackName = .legacy) throws -> SaveAuthority {
        SaveAuthority(
            stack: stack, instanceName: "tests", epochs: try OwnershipRegister.read(connection)?.epochs ?? [:])
    }
}
