import Foundation
import SQLite

/// Damages a file page by page.
enum Pages {
    /// Overwrites the root page of a table, or the n-th of its leaf pages.
    static func overwrite(_ table: String, leaf: Int? = nil, in path: String) throws {
        var page: Int64 = 0
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            _ = try connection.checkpoint(.truncate)
            if let leaf {
                let sql =
                    "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path LIMIT 1 OFFSET ?"
                page = try connection.scalar(sql, [.text(table), .integer(Int64(leaf))])?.integerValue ?? 0
            } else {
                page =
                    try connection.scalar("SELECT rootpage FROM sqlite_master WHERE name = ?", [.text(table)])?
                    .integerValue ?? 0
            }
        }
        guard page > 1, let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileReadUnknown) }
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
    }
}
