import SQLite
import Testing

@Suite("facts about the schema")
struct SchemaFactTests {
    private let database: TestDatabase

    init() throws {
        database = try TestDatabase()
    }

    private func hasTable(_ name: String, _ connection: Connection) throws -> Bool {
        try connection.schemaFact("has \(name)") {
            try connection.scalar("SELECT 1 FROM sqlite_master WHERE name = ?", [.text(name)]) != nil
        }
    }

    @Test("a fact is looked up once for as long as the schema stays")
    func once() throws {
        let connection = try database.prepared()
        var count = 0
        for _ in 0..<3 {
            try connection.execute("INSERT INTO t VALUES (1)")
            let fact: Int = try connection.schemaFact("columns") {
                count += 1
                return try connection.query("PRAGMA table_info(t)").count
            }
            #expect(fact == 1)
        }
        #expect(count == 1)
    }

    @Test("another's change of the schema is seen, and so is one's own")
    func changes() throws {
        let (one, two) = (try database.prepared(), try database.connect())
        #expect(try !hasTable("u", one))
        try two.execute("CREATE TABLE u (a)")
        #expect(try hasTable("u", one))
        try one.transaction(.immediate) {
            try one.execute("DROP TABLE u")
            #expect(try !hasTable("u", one))
        }
        #expect(try !hasTable("u", one))
    }

    @Test("what was true in a transaction that was rolled back is not kept, though another schema gets its version")
    func rollback() throws {
        struct Given: Error {}
        let (one, two) = (try database.prepared(), try database.connect())
        func version(_ connection: Connection) throws -> Int64? {
            try connection.scalar("PRAGMA schema_version")?.integerValue
        }
        var inside: Int64?
        #expect(throws: Given.self) {
            try one.transaction(.immediate) {
                try one.execute("CREATE TABLE u (a)")
                #expect(try hasTable("u", one))
                inside = try version(one)
                throw Given()
            }
        }
        try two.execute("CREATE TABLE v (a)")
        #expect(try version(one) == inside)
        #expect(try !hasTable("u", one))
    }
}
