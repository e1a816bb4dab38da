import Foundation
import SQLite

/// The files that columns of attributes with external storage name (Format, section 3.2), and those that none names.
enum ExternalFileRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
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
                        try check(bytes, at: "\(table) \(row.integer(0)).\(attribute.name)", context)
                    }
                }
            }
        }
        for name in orphans.sorted() {
            try context.report("external-orphan", name, "no row names the file in \(context.store.externalData.folder)")
        }
    }

    private static func check(_ bytes: [UInt8], at place: String, _ context: VerifyContext) throws {
        guard let name = ExternalData.reference(in: bytes) else {
            return try context.report("external-file", place, "its external file's name is no UUID")
        }
        if !FileManager.default.fileExists(atPath: context.store.externalData.path(of: name)) {
            try context.report("external-file", place, "its external file \(name) is missing")
        }
    }

    /// The names in the folder that a row should name.
    private static func files(_ context: VerifyContext) -> Set<String> {
        let data = context.store.externalData
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.folder)) ?? []
        guard !names.isEmpty, !data.isShared(storePath: context.store.path) else { return [] }
        // A save writes its files before the rows that name them. Where others may have the store open, a young file can
        // be of a save that is running.
        let isQuiet = context.connection.mode == .immutable || context.connection.isPrivateCopy
        let limit = Date(timeIntervalSinceNow: -60)
        return Set(
            names.filter { name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: data.path(of: name))
                return isQuiet || (attributes?[.modificationDate] as? Date ?? limit) < limit
            })
    }
}
