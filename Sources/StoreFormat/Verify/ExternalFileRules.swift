import Foundation
import SQLite

/// The files that columns of attributes with external storage name (Format, section 3.2), and those that none names.
enum ExternalFileRules: VerifierRules {
    /// A value whose file is not there, and the query that reads the value again.
    private struct Missing {
        let place: String
        let file: String
        let sql: String
        let key: Int64
    }

    static func check(_ context: VerifyContext) throws {
        var missing: [Missing] = []
        var references: [String] = []
        // Before the columns: a file that comes meanwhile is no orphan.
        var orphans = files(context)
        for entity in context.entities {
            guard let table = context.table(entity.name) else { continue }
            let kind = "r.Z_ENT IN \(context.treeNumbers(entity.name).sqlList)"
            for attribute in entity.attributes where !attribute.isTransient {
                for (i, leaf) in ColumnPlan.leaves(of: attribute).enumerated()
                where leaf.allowsExternalBinaryDataStorage {
                    guard let column = context.column(entity.name, attribute.name, .attribute(leaf: i)) else {
                        continue
                    }
                    let sql = """
                        SELECT r.Z_PK, \(column.ofRow) FROM \(table.sqlIdentifier) r
                        WHERE \(kind) AND substr(\(column.ofRow), 1, 1) = x'02' ORDER BY r.Z_PK
                        """
                    references.append("SELECT \(column.ofRow) AS name FROM \(table.sqlIdentifier) r WHERE \(kind)")
                    let isComplete = try all(sql, in: table, context) { row in
                        let bytes = row.blob(1) ?? []
                        ExternalData.reference(in: bytes).map { _ = orphans.remove($0) }
                        let place = "\(table) \(row.integer(0)).\(attribute.name)"
                        guard let file = try missingFile(bytes, at: place, context) else { return }
                        let again = "SELECT \(column.ofRow) FROM \(table.sqlIdentifier) r WHERE r.Z_PK = ?"
                        missing.append(Missing(place: place, file: file, sql: again, key: row.integer(0)))
                    }
                    // What names a file may stand where nothing can be read.
                    if !isComplete { orphans = [] }
                }
            }
        }
        try report(missing, context)
        try shared(references, context)
        let folder = context.store.externalData.folder
        let young = context.judgesYoungFiles || isQuiet(context) ? [] : orphans.filter { isYoung($0, context) }
        for name in orphans.subtracting(young).sorted() {
            try context.report("external-orphan", name, "no row names the file in \(folder)")
        }
        if !young.isEmpty {
            let (files, them) =
                young.count == 1
                ? ("1 file that no row names was", "it") : ("\(young.count) files that no row names were", "them")
            try context.report(
                "external-young", folder,
                "\(files) made within the last minute, and not judged: a save that is running may name \(them) yet",
                .warning)
        }
    }

    /// - Returns: whether all rows could be read.
    private static func all(
        _ sql: String, in table: String, _ context: VerifyContext, _ body: (Statement) throws -> Void
    ) throws -> Bool {
        var isComplete = false
        try context.reporting(damagedIn: table) {
            try context.rows(sql, body)
            isComplete = true
        }
        return isComplete
    }

    /// The name of the file that a value needs and that is not there, or is not one.
    private static func missingFile(_ bytes: [UInt8], at place: String, _ context: VerifyContext) throws -> String? {
        guard let name = ExternalData.reference(in: bytes) else {
            try context.report("external-file", place, "its external file's name is no UUID")
            return nil
        }
        if bytes.count != 38 || bytes.last != 0 {
            try context.report(
                "value-external", place, "a reference of \(bytes.count) bytes, expected 38 of which the last is 0")
        }
        return state(name, context) == .sound ? nil : name
    }

    private enum FileState {
        case sound, missing, empty, other

        var sentence: String {
            switch self {
            case .sound: "is there"
            case .missing: "is missing"
            case .empty: "has 0 bytes"
            case .other: "is no ordinary file"
            }
        }
    }

    private static func state(_ name: String, _ context: VerifyContext) -> FileState {
        let path = context.store.externalData.path(of: name)
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return .missing }
        guard attributes[.type] as? FileAttributeType == .typeRegular else { return .other }
        return (attributes[.size] as? NSNumber)?.int64Value == 0 ? .empty : .sound
    }

    /// Each value has a file of its own: one that two share goes with the first that is changed.
    private static func shared(_ references: [String], _ context: VerifyContext) throws {
        guard !references.isEmpty else { return }
        let sql = """
            SELECT CAST(substr(name, 2, 36) AS TEXT), count(*)
            FROM (\(references.joined(separator: " UNION ALL ")))
            WHERE substr(name, 1, 1) = x'02' GROUP BY substr(name, 2, 36) HAVING count(*) > 1 ORDER BY 1
            """
        try context.reporting(damagedIn: "external data") {
            try context.rows(sql) { row in
                try context.report("external-shared", row.text(0) ?? "", "\(row.integer(1)) values name the file")
            }
        }
    }

    /// A save removes the files of the values that it replaced, while the check still sees those values: only a value that
    /// has not changed since misses its file.
    private static func report(_ missing: [Missing], _ context: VerifyContext) throws {
        guard !missing.isEmpty else { return }
        let now = isQuiet(context) ? nil : try StoreConnector.connect(context.store.path, .reader)
        for value in missing {
            if let now {
                let bytes = try now.scalar(value.sql, [.integer(value.key)])?.blobValue ?? []
                guard ExternalData.reference(in: bytes) == value.file else { continue }
            }
            let state = state(value.file, context)
            guard state != .sound else { continue }
            try context.report("external-file", value.place, "its external file \(value.file) \(state.sentence)")
        }
    }

    /// Whether nobody can write the store while it is checked.
    private static func isQuiet(_ context: VerifyContext) -> Bool {
        context.connection.mode == .immutable || context.connection.isPrivateCopy
    }

    /// The names in the folder that a row should name.
    private static func files(_ context: VerifyContext) -> Set<String> {
        let data = context.store.externalData
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.folder)) ?? []
        return names.isEmpty || data.isShared(storePath: context.store.path) ? [] : Set(names)
    }

    /// A save writes its files before the rows that name them. Where others may have the store open, a young file can be of
    /// a save that is running.
    private static func isYoung(_ name: String, _ context: VerifyContext) -> Bool {
        let path = context.store.externalData.path(of: name)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        // What is gone by now was of a save that has ended.
        guard let made = attributes?[.modificationDate] as? Date else { return true }
        return made > Date(timeIntervalSinceNow: -60)
    }
}
