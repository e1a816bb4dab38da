import SQLite
import StoreFormat

/// The triggers that keep strangers from writing an adopted store. Our connections run with main-schema triggers off,
/// so the triggers cost our own writes nothing.
public enum GuardTriggers {
    static let prefix = "COEXIST_GUARD_"

    /// Puts the triggers of that mode in place of those that are there. To be run inside a write transaction.
    public static func install(_ mode: GuardMode, on connection: Connection) throws {
        try remove(from: connection)
        guard mode != .off else { return }
        for (_, sql) in try triggers(mode, connection) { try connection.execute(sql) }
    }

    /// The triggers of that mode that are missing or were altered, and those that are there and are none of it, by name.
    public static func deviations(from mode: GuardMode, on connection: Connection) throws -> [String] {
        var found: [String: String] = [:]
        for row in try connection.query(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'COEXIST\\_%' ESCAPE '\\'")
        {
            if let name = row[0].textValue { found[name] = row[1].textValue ?? "" }
        }
        let expected = try triggers(mode, connection)
        let missing = expected.filter { found[$0.key] != $0.value }.keys
        return (missing + found.keys.filter { expected[$0] == nil }).sorted()
    }

    /// What makes the triggers of a mode, by their names.
    private static func triggers(_ mode: GuardMode, _ connection: Connection) throws -> [String: String] {
        guard mode != .off else { return [:] }
        var result: [String: String] = [:]
        for table in try tables(connection) where mode != .record || table != "COEXIST_FOREIGN" {
            for operation in ["INSERT", "UPDATE", "DELETE"] {
                result["\(prefix)\(table)_\(operation)"] =
                    mode == .record ? recording(table, operation) : refusing(table, operation)
            }
        }
        return result
    }

    /// Drops every trigger whose name begins with `COEXIST_`. To be run inside a write transaction.
    /// - Throws: what SQLite reports.
    public static func remove(from connection: Connection) throws {
        let triggers = try connection.query(
            "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'COEXIST\\_%' ESCAPE '\\'")
        for row in triggers {
            if let name = row[0].textValue { try connection.execute("DROP TRIGGER \(name.sqlIdentifier)") }
        }
    }

    /// The tables whose rows are guarded: all of Core Data's and ours. Virtual tables and their shadows cannot bear
    /// triggers, and follow the tables that feed them.
    private static func tables(_ connection: Connection) throws -> [String] {
        let rows = try connection.query(
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                AND (name LIKE 'Z%' OR name LIKE 'COEXIST\\_%' ESCAPE '\\'
                    OR name IN ('ACHANGE', 'ATRANSACTION', 'ATRANSACTIONSTRING'))
                AND NOT EXISTS (SELECT 1 FROM sqlite_master v WHERE v.type = 'table' AND v.sql LIKE 'CREATE VIRTUAL%'
                    AND sqlite_master.name IN (v.name || '_node', v.name || '_rowid', v.name || '_parent'))
            ORDER BY name
            """)
        return rows.compactMap { $0[0].textValue }
    }

    private static func refusing(_ table: String, _ operation: String) -> String {
        let message =
            "this store is guarded by Coexist: \(table) is written through coexistd or an embedded Coexist stack only. "
            + "To give the file back to other programs: coexistctl release STORE"
        return """
            CREATE TRIGGER \("\(prefix)\(table)_\(operation)".sqlIdentifier) BEFORE \(operation) ON \(table.sqlIdentifier)
            BEGIN SELECT RAISE(ABORT, \(message.sqlLiteral)); END
            """
    }

    private static func recording(_ table: String, _ operation: String) -> String {
        let row = operation == "DELETE" ? "OLD" : "NEW"
        return """
            CREATE TRIGGER \("\(prefix)\(table)_\(operation)".sqlIdentifier) AFTER \(operation) ON \(table.sqlIdentifier)
            BEGIN INSERT INTO COEXIST_FOREIGN (TABLE_NAME, ROW_KEY) VALUES (\(table.sqlLiteral), \(row).rowid); END
            """
    }
}
