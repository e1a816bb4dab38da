import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Files that say what no store says: tables that contradict the model, counters at their ends, triggers and views that
/// somebody put there. Whatever is done with them ends with a value or a `StoreError`.
@Suite struct HostileStoreTests {
    static let largest = "9223372036854775807"
    static let smallest = "-9223372036854775808"

    static let changes: [String] = [
        // Counters and keys.
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(largest)", "UPDATE Z_PRIMARYKEY SET Z_MAX = \(largest) - 1",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = \(smallest)",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 'many'", "UPDATE Z_PRIMARYKEY SET Z_MAX = 1e300", "DELETE FROM Z_PRIMARYKEY",
        "UPDATE Z_PRIMARYKEY SET Z_NAME = NULL", "UPDATE Z_PRIMARYKEY SET Z_SUPER = Z_ENT",
        "UPDATE Z_PRIMARYKEY SET Z_ENT = \(largest) WHERE Z_NAME = 'Tag'",
        "UPDATE Z_PRIMARYKEY SET Z_ENT = \(smallest) WHERE Z_NAME = 'Tag'",
        "UPDATE Z_PRIMARYKEY SET Z_ENT = -Z_ENT", "UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 30000",
        "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Book'",
        "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, \(largest)), (16002, 'TRANSACTION', 0, \(largest)),"
            + " (16003, 'TRANSACTIONSTRING', 0, \(largest)) ON CONFLICT DO UPDATE SET Z_MAX = excluded.Z_MAX",
        "UPDATE ZBOOK SET Z_PK = \(largest) WHERE Z_PK = 1", "UPDATE ZBOOK SET Z_PK = -Z_PK",
        "UPDATE ZBOOK SET Z_PK = \(smallest) WHERE Z_PK = 1", "UPDATE ZBOOK SET Z_ENT = \(largest)",
        "UPDATE ZBOOK SET Z_ENT = NULL", "UPDATE ZBOOK SET Z_ENT = 'Book'", "UPDATE ZBOOK SET Z_OPT = \(largest)",
        "UPDATE ZBOOK SET Z_OPT = NULL", "UPDATE ZBOOK SET Z_OPT = 'x'",
        "UPDATE ZBOOK SET ZSHELF = \(largest), ZAUTHOR = -1", "UPDATE ZBOOK SET ZSHELF = 'x', ZAUTHOR = x'00'",
        "UPDATE ZBOOK SET Z_FOK_SHELF = \(largest)", "UPDATE ZBOOK SET Z_FOK_SHELF = \(smallest)",
        "UPDATE ZBOOK SET Z_FOK_SHELF = 'first'", "UPDATE ZPERSON SET Z_ENT = 1",
        // Values of every other kind, and large ones.
        "UPDATE ZBOOK SET ZPAGES = 1e300, ZCOPIES = 'x', ZTITLE = x'FF', ZPUBLISHED = 'never', ZPRICE = x'00'",
        "UPDATE ZBOOK SET ZPUBLISHED = 9e999, ZRATING = -9e999, ZPRICE = 9e999, ZPAGES = 9e999",
        "UPDATE ZBOOK SET ZPUBLISHED = 1e300, ZPRICE = 1e300, ZISLENT = 7, ZPAGES = \(largest)",
        "UPDATE ZBOOK SET ZIDENTIFIER = x'00', ZLINK = x'00', ZCOVER = x'02', ZNOTES = 1, ZTHUMBNAIL = 2.5",
        "UPDATE ZBOOK SET ZCOVER = x'02' || CAST('../../../../etc/passwd' AS BLOB) || x'00'",
        "UPDATE ZBOOK SET ZCOVER = zeroblob(60000000), ZTITLE = printf('%.*c', 30000000, 'x')",
        // Tables.
        "DROP TABLE ZBOOK", "DROP TABLE Z_1TAGS", "DROP TABLE ZPERSON", "ALTER TABLE ZBOOK DROP COLUMN ZTITLE",
        "ALTER TABLE ZBOOK RENAME COLUMN Z_PK TO ZKEY", "ALTER TABLE ZBOOK RENAME COLUMN Z_OPT TO ZVERSION",
        "DROP TABLE ZTAG; CREATE TABLE ZTAG (a)", "DROP TABLE ZTAG; CREATE TABLE ZTAG (Z_PK TEXT, Z_ENT, Z_OPT, ZNAME)",
        "DROP TABLE ZTAG; CREATE TABLE ZTAG (Z_PK PRIMARY KEY, Z_ENT, Z_OPT, ZNAME) WITHOUT ROWID",
        "DROP TABLE ZTAG; CREATE VIEW ZTAG AS SELECT 1 AS Z_PK, 7 AS Z_ENT, 1 AS Z_OPT, 'x' AS ZNAME",
        "DROP TABLE ZTAG; CREATE VIEW ZTAG AS SELECT * FROM ZTAG",
        "DROP TABLE ZTAG; CREATE VIRTUAL TABLE ZTAG USING rtree(Z_PK, a, b)",
        "DROP TABLE Z_METADATA; CREATE VIEW Z_METADATA AS SELECT 1 AS Z_VERSION, 'x' AS Z_UUID, x'00' AS Z_PLIST",
        "DROP TABLE ATRANSACTION; CREATE TABLE ATRANSACTION (a)", "DROP TABLE ACHANGE", "DROP TABLE ATRANSACTIONSTRING",
        "CREATE TABLE COEXIST_STATE (a)", "CREATE TABLE \"COEXIST_a\"\" (b); DROP TABLE ZBOOK; --\" (a)",
        "CREATE TABLE ATRANSACTION_ (a); ALTER TABLE ATRANSACTION ADD COLUMN \"Z'\"\"\" TEXT",
        // History.
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(largest), 16002, 9e999)",
        "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(smallest), 16002, 'x')",
        "UPDATE ACHANGE SET ZENTITY = \(largest), ZENTITYPK = \(smallest), ZCHANGETYPE = 9, ZCOLUMNS = zeroblob(100000)",
        "UPDATE ACHANGE SET ZCHANGETYPE = 2, ZTOMBSTONE0 = x'00', ZCOLUMNS = 'text'",
        "UPDATE ATRANSACTION SET ZAUTHORTS = \(largest), ZTIMESTAMP = NULL",
        // Triggers, which run on our connections as temporary copies.
        "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN SELECT load_extension('/tmp/none.so'); END",
        "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN INSERT INTO ZTAG (ZNAME) VALUES (NEW.ZNAME || 'x'); END",
        "CREATE TRIGGER t BEFORE INSERT ON ZTAG BEGIN SELECT raise(ROLLBACK, 'no'); END",
        "CREATE TRIGGER t BEFORE INSERT ON ZTAG BEGIN SELECT raise(IGNORE); END",
        "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN DELETE FROM Z_PRIMARYKEY; END",
        "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN DELETE FROM ATRANSACTION; DELETE FROM ACHANGE; END",
        "CREATE TRIGGER t AFTER UPDATE ON Z_PRIMARYKEY BEGIN UPDATE Z_PRIMARYKEY SET Z_MAX = \(largest); END",
        "CREATE TRIGGER \"a\"\" ON b\" AFTER INSERT ON ZTAG BEGIN SELECT no_such_function(); END",
        "CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN SELECT * FROM no_such_table; END",
    ]

    @Test(arguments: changes)
    func readingAndWritingEndWithAValueOrAStoreError(change: String) throws {
        let sample = try BridgeSample()
        try fill(sample)
        let made = try Programs.sqlite3(sample.path, change)
        #expect(made.exitCode == 0, "\(made.errors)")
        try use(sample.path)
    }

    @Test func numbersThatHaveRunOutAreNamed() throws {
        let sample = try BridgeSample()
        try fill(sample)
        try sample.foreign("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Self.largest) WHERE Z_NAME = 'Tag'")
        let bridge = try sample.open()
        defer { bridge.close() }
        let error = #expect(throws: StoreError.self) { try bridge.legacy.insert("Tag", ["name": .string("new")]) }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("objects of Tag have run out") == true)
        // Nobody else's numbers have.
        try bridge.legacy.insert("Card", ["number": .integer(2)])
    }

    /// A schema's text is SQL that SQLite reads no further than one statement.
    @Test func whatStandsBehindATriggerInTheSchemaIsNotRun() throws {
        let sample = try BridgeSample()
        try fill(sample)
        let elsewhere = sample.folder.file("elsewhere")
        let hidden = "; ATTACH '\(elsewhere)' AS e; CREATE TABLE e.t (a)"
        let result = try Programs.sqlite3(
            sample.path,
            """
            CREATE TRIGGER t AFTER INSERT ON ZTAG BEGIN SELECT 1; END;
            PRAGMA writable_schema = 1;
            UPDATE sqlite_master SET sql = sql || '\(hidden.replacingOccurrences(of: "'", with: "''"))' WHERE name = 't';
            """)
        #expect(result.exitCode == 0, "\(result.errors)")
        try use(sample.path)
        #expect(!FileManager.default.fileExists(atPath: elsewhere))
    }

    // MARK: What is done with a store

    private func fill(_ sample: BridgeSample) throws {
        let instance = try LegacyInstance(path: sample.path)
        defer { instance.close() }
        try instance.insert("Tag", ["name": .string("one")])
        try instance.insert("Author", ["name": .string("Ada")])
        try instance.insert("Card", ["number": .integer(1)])
        let book = try instance.insert("Book", ["title": .string("A"), "isbn": .string("1")])
        _ = try instance.save(
            ObjectBatch([
                .insert(entity: "Shelf", name: "s", values: ["label": .attribute(.string("x"))]),
                .update(book, values: ["shelf": .toOne(.new("s")), "pages": .attribute(.integer(3))], expecting: nil),
            ]))
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch is StoreError {
            // What a hostile file deserves.
        } catch {
            Issue.record("\(type(of: error)): \(error)")
        }
    }

    private func use(_ path: String) throws {
        attempt {
            let store = try Store.open(path)
            for stack in StackName.allCases {
                let instance = try StackFactory.reader(stack, store)
                defer { instance.close() }
                for entity in store.layout.entities.map(\.name) {
                    attempt { try instance.forEachObject(of: entity) { _ in } }
                    attempt { _ = try instance.objects(matching: ObjectQuery(entity: entity, sort: [.init("name")])) }
                    for key in [1, 0, -1, Int64.max, .min] {
                        attempt {
                            _ = try instance.object(ObjectReference(entity: entity, key: key), isFresh: false)
                        }
                    }
                }
            }
            let reader = try StoreConnector.offlineReader(path)
            attempt {
                try StoreConnector.translating(path) {
                    _ = try StoreVerifier.verify(reader, store: store)
                    _ = try HistoryReader(reader, store: store).transactions(after: 0)
                }
            }
        }
        attempt {
            let bridge = try StoreBridge(path: path)
            defer { bridge.close() }
            for instance in [bridge.legacy, bridge.model] {
                attempt { _ = try instance.insert("Tag", ["name": .string("new \(instance.stack.rawValue)")]) }
                for entity in ["Tag", "Book", "Shelf", "Author"] {
                    let object = ObjectReference(entity: entity, key: 1)
                    attempt { try instance.update(object, ["name": .string("changed")]) }
                    attempt { try instance.update(object, ["title": .string("changed")]) }
                    attempt { _ = try instance.save(ObjectBatch([.delete(object, expecting: nil)])) }
                }
                attempt { _ = try bridge.replay() }
                attempt { _ = try bridge.extent() }
            }
            attempt { _ = try bridge.handover("Tag", to: .model) }
        }
        attempt { _ = try Release.release(path) }
    }
}
