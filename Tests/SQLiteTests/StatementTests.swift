import Foundation
import SQLite
import Testing

@Suite
struct StatementTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    static let values: [SQLValue] = [
        .null, .integer(.min), .integer(.max), .integer(0), .real(0.1), .real(-.infinity), .text(""), .text("a\u{0}b"),
        .text("🦆 ä"), .blob([]), .blob([0, 1, 255]),
    ]

    @Test("a value of each class comes back as it was bound", arguments: values)
    func roundTrip(_ value: SQLValue) throws {
        let connection = try database.prepared()
        try connection.run("INSERT INTO t VALUES (?)", [value])
        #expect(try connection.scalar("SELECT a FROM t") == .some(value))
        #expect(try connection.query("SELECT a, typeof(a) FROM t").first?.first == value)
    }

    @Test("no row is nil, and a row with NULL is not")
    func noRow() throws {
        let connection = try database.prepared()
        #expect(try connection.scalar("SELECT 1 WHERE 0").map { _ in true } == nil)
        #expect(try connection.scalar("SELECT NULL") == .some(.null))
    }

    @Test("a signed zero and not-a-number are what SQLite makes of them")
    func zeros() throws {
        let connection = try database.prepared()
        #expect(try connection.scalar("SELECT ?", [.real(-0.0)])?.doubleValue?.sign == .minus)
        #expect(try connection.scalar("SELECT ?", [.real(.nan)]) == .some(.null))
    }

    @Test(
        "more than one statement, none, and a wrong one are errors that carry the text",
        arguments: [
            "SELECT 1; SELECT 2", "  ", "SELEC 1",
        ])
    func misuse(_ sql: String) throws {
        let connection = try database.prepared()
        let error = #expect(throws: SQLiteError.self) { try connection.prepare(sql) }
        #expect(error?.sql == sql)
        try connection.prepare("SELECT 1;  ").run()
    }

    @Test("a constraint's error says which one it was")
    func constraints() throws {
        let connection = try database.prepared()
        try connection.execute("CREATE TABLE u (a UNIQUE, b NOT NULL); INSERT INTO u VALUES (1, 1)")
        let unique = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO u VALUES (1, 1)") }
        #expect(unique?.isUniqueConstraint == true)
        #expect(unique?.message == "UNIQUE constraint failed: u.a")
        let null = #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO u VALUES (2, NULL)") }
        #expect(null?.isConstraint == true)
        #expect(null?.isUniqueConstraint == false)
        // The statement can be used again after its error.
        try connection.run("INSERT INTO u VALUES (?, ?)", [2, 2])
    }

    @Test("iterating stops, and resets, where the body throws")
    func stops() throws {
        let connection = try database.prepared()
        try connection.execute("INSERT INTO t VALUES (1), (2)")
        let statement = try connection.prepare("SELECT a FROM t ORDER BY a")
        #expect(throws: CancellationError.self) { try statement.forEach { _ in throw CancellationError() } }
        var seen: [Int64] = []
        try statement.forEach { seen.append($0.integer(0)) }
        #expect(seen == [1, 2])
        #expect(statement.columnName(0) == "a")
        #expect(statement.columnCount == 1)
    }

    @Test("names and texts are quoted")
    func quoting() throws {
        let connection = try database.prepared()
        let name = "a \"b\" 'c'"
        try connection.execute(
            "CREATE TABLE \(name.sqlIdentifier) (x); INSERT INTO \(name.sqlIdentifier) VALUES (\(name.sqlLiteral))")
        #expect(try connection.scalar("SELECT x FROM \(name.sqlIdentifier)") == .some(.text(name)))
    }
}
