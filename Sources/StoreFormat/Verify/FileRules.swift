import SQLite

/// The file itself (Format, section 1).
enum FileRules: VerifierRules {
    static func check(_ context: VerifyContext) throws {
        // Of some damages SQLite makes a list, of others an error.
        try context.reporting(damagedIn: "file") {
            for problem in try context.connection.integrityProblems() {
                try context.report("sqlite-integrity", "file", problem)
            }
        }
        try expect("auto_vacuum", 2, context)
        try expect("user_version", 0, context)
        try expect("application_id", 0, context)
        let encoding = try context.connection.scalar("PRAGMA encoding")?.textValue ?? ""
        if encoding != "UTF-8" { try context.report("file-header", "encoding", "\(encoding), expected UTF-8") }
    }

    private static func expect(_ pragma: String, _ value: Int64, _ context: VerifyContext) throws {
        let found = try context.connection.scalar("PRAGMA \(pragma)")?.integerValue ?? 0
        if found != value { try context.report("file-header", pragma, "\(found), expected \(value)") }
    }
}
