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
        try overwrite([page], in: path)
    }

    /// Overwrites pages of the list of tables: its first, or all others, or all.
    static func overwriteSchema(_ part: SchemaPart, in path: String) throws {
        var pages: [Int64] = []
        do {
            let connection = try Connection(path: path, mode: .readWrite)
            pages = try connection.query("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema' ORDER BY pageno")
                .compactMap { $0[0].integerValue }
        }
        try overwrite(pages.filter { part == .all || ($0 == 1) == (part != .rest) }, in: path)
        guard part == .header, let file = FileHandle(forUpdatingAtPath: path) else { return }
        try file.write(contentsOf: Data(repeating: 0xA5, count: 100))
        try file.close()
    }

    enum SchemaPart: Sendable, CaseIterable {
        case first
        case rest
        case all
        /// The first, with the header of the file.
        case header
    }

    /// Puts each of two pages into the other one's place.
    static func swap(_ a: Int, _ b: Int, in path: String) throws {
        guard let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileReadUnknown) }
        defer { try? file.close() }
        func read(_ page: Int) throws -> Data {
            try file.seek(toOffset: UInt64(page - 1) * 4096)
            return try file.read(upToCount: 4096) ?? Data()
        }
        let (first, second) = (try read(a), try read(b))
        for (page, bytes) in [(a, second), (b, first)] {
            try file.seek(toOffset: UInt64(page - 1) * 4096)
            try file.write(contentsOf: bytes)
        }
    }

    private static func overwrite(_ pages: [Int64], in path: String) throws {
        guard !pages.isEmpty, let file = FileHandle(forUpdatingAtPath: path) else { throw CocoaError(.fileReadUnknown) }
        defer { try? file.close() }
        for page in pages {
            // The first 100 bytes are the file's header.
            let skipped: UInt64 = page == 1 ? 100 : 0
            try file.seek(toOffset: UInt64(page - 1) * 4096 + skipped)
            try file.write(contentsOf: Data(repeating: 0xA5, count: 4096 - Int(skipped)))
        }
    }
}
