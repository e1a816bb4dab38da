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
                    try context.rows(sql) { row in
                        let bytes = row.blob(1) ?? []
                        ExternalData.reference(in: bytes).map { _ = orphans.remove($0) }
                        let place = "\(table) \(row.integer(0)).\(attribute.name)"
                        guard let file = try missingFile(bytes, at: place, context) else { return }
                        let again = "SELECT \(column.ofRow) FROM \(table.sqlIdentifier) r WHERE r.Z_PK = ?"
                        missing.append(Missing(place: place, file: file, sql: again, key: row.integer(0)))
                    }
                }
            }
        }
        try report(missing, context)
        for name in orphans.sorted() {
            try context.report("external-orphan", name, "no row names the file in \(context.store.externalData.folder)")
        }
    }

    /// The name of the file that a value needs and that is not there.
    private static func missingFile(_ bytes: [UInt8], at place: String, _ context: VerifyContext) throws -> String? {
        guard let name = ExternalData.reference(in: bytes) else {
            try context.report("external-file", place, "its external file's name is no UUID")
            return nil
        }
        return FileManager.default.fileExists(atPath: context.store.externalData.path(of: name)) ? nil : name
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
            try context.report("external-file", value.place, "its external file \(value.file) is missing")
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
        guard !names.isEmpty, !data.isShared(storePath: context.store.path) else { return [] }
        // A save writes its files before the rows that name them. Where others may have the store open, a young file can
        // be of a save that is running.
        let isQuiet = isQuiet(context)
        let limit = Date(timeIntervalSinceNow: -60)
        return Set(
            names.filter { name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: data.path(of: name))
                return isQuiet || (attributes?[.modificationDate] as? Date ?? limit) < limit
            })
    }
}
