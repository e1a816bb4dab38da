import Foundation
import SQLite

/// The files that columns of attributes with external storage name (Format, section 3.2).
enum ExternalFileRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
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
                        try check(row.blob(1) ?? [], at: "\(table) \(row.integer(0)).\(attribute.name)", context)
                    }
                }
            }
        }
    }

    private static func check(_ bytes: [UInt8], at place: String, _ context: VerifyContext) throws {
        guard let name = ExternalData.reference(in: bytes) else {
            return try context.report("external-file", place, "its external file's name is no UUID")
        }
        if !FileManager.default.fileExists(atPath: context.store.externalData.path(of: name)) {
            try context.report("external-file", place, "its external file is missing")
        }
    }
}
