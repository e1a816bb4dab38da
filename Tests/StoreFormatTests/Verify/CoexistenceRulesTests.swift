import Foundation
import SQLite
import StoreFormat
import Testing

@Suite
struct CoexistenceRulesTests {
    static let breaks: [(sql: String, rule: String, place: String)] = [
        ("DROP TABLE COEXIST_STATE", "coexist-tables", "COEXIST_UNIT"),
        ("DROP TABLE COEXIST_FOREIGN", "coexist-tables", "COEXIST_FOREIGN"),
        ("DELETE FROM COEXIST_STATE", "coexist-state", "COEXIST_STATE"),
        ("UPDATE COEXIST_STATE SET COMMITS = -1", "coexist-state", "COEXIST_STATE"),
        ("UPDATE COEXIST_STATE SET COMMITS = 0", "coexist-state", "COEXIST_STATE"),
        ("UPDATE COEXIST_STATE SET TIMELINE = 0", "coexist-state", "COEXIST_STATE"),
        ("UPDATE COEXIST_STATE SET GUARD = 'sometimes'", "coexist-state", "COEXIST_STATE"),
        ("UPDATE COEXIST_UNIT SET OWNER = 'nobody' WHERE NAME = 'Tag'", "coexist-unit", "Tag"),
        ("UPDATE COEXIST_UNIT SET EPOCH = 0 WHERE NAME = 'Tag'", "coexist-unit", "Tag"),
        ("INSERT INTO COEXIST_UNIT VALUES ('Empty', 'legacy', NULL, 1, 0, 0)", "coexist-unit", "Empty"),
        (
            "INSERT INTO COEXIST_HANDOVER VALUES (1, 'Tag', 'legacy', 'model', 2, 0, NULL, NULL, 1)", "coexist-unit",
            "Tag"
        ),
        ("DELETE FROM COEXIST_ENTITY WHERE NAME = 'Tag'", "coexist-entity", "Tag"),
        ("UPDATE COEXIST_ENTITY SET NUMBER = 70 WHERE NAME = 'Tag'", "coexist-entity", "Tag"),
        ("UPDATE COEXIST_ENTITY SET UNIT = 'Book' WHERE NAME = 'Author'", "coexist-entity", "Author"),
        ("INSERT INTO COEXIST_ENTITY VALUES (50, 'Ghost', 'Tag')", "coexist-entity", "Ghost"),
        ("DELETE FROM COEXIST_JOIN", "coexist-join", "Z_1TAGS"),
        ("UPDATE COEXIST_JOIN SET UNIT = 'Nowhere'", "coexist-join", "Z_1TAGS"),
        (
            "INSERT INTO COEXIST_TRANSACTION VALUES (9, 'legacy', 'i', '', NULL); UPDATE COEXIST_STATE SET COMMITS = 9",
            "coexist-transaction", "COEXIST_TRANSACTION 9"
        ),
        ("UPDATE COEXIST_TRANSACTION SET STACK = 'x' WHERE NUMBER = 2", "coexist-transaction", "COEXIST_TRANSACTION 2"),
        (
            "UPDATE COEXIST_TRANSACTION SET EPOCHS = 'Shelf=5' WHERE NUMBER = 2", "coexist-transaction",
            "COEXIST_TRANSACTION 2"
        ),
        ("UPDATE COEXIST_TRANSACTION SET CAUSE = 77 WHERE NUMBER = 2", "coexist-transaction", "COEXIST_TRANSACTION 2"),
        ("INSERT INTO COEXIST_CONSUMER VALUES ('late', 99, 'active', 0)", "coexist-consumer", "late"),
        (
            "CREATE TRIGGER COEXIST_GUARD_ZTAG_DELETE BEFORE DELETE ON ZTAG BEGIN SELECT 1; END", "guard",
            "COEXIST_GUARD_ZTAG_DELETE"
        ),
        (
            "CREATE TRIGGER COEXIST_GUARD_ZNONE_DELETE BEFORE DELETE ON ZTAG BEGIN SELECT 1; END", "guard",
            "COEXIST_GUARD_ZNONE_DELETE"
        ),
        (
            """
            UPDATE COEXIST_STATE SET GUARD = 'always';
            CREATE TRIGGER COEXIST_GUARD_ZTAG_DELETE BEFORE DELETE ON ZTAG BEGIN SELECT 1; END
            """, "guard-altered", "COEXIST_GUARD_ZTAG_DELETE"
        ),
        (
            """
            UPDATE COEXIST_STATE SET GUARD = 'record';
            CREATE TRIGGER COEXIST_GUARD_ZTAG_DELETE BEFORE DELETE ON ZTAG BEGIN SELECT RAISE(ABORT, 'no'); END
            """, "guard-altered", "COEXIST_GUARD_ZTAG_DELETE"
        ),
        (
            """
            UPDATE COEXIST_STATE SET GUARD = 'always', COMMITS = 9;
            INSERT INTO COEXIST_TRANSACTION VALUES (5, 'legacy', 'i', '', NULL);
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (5, 16002, 0)
            """, "coexist-transaction", "COEXIST_TRANSACTION 3"
        ),
        ("UPDATE COEXIST_STATE SET PURGE_FLOOR = 7", "history-counter", "ATRANSACTION"),
        ("UPDATE COEXIST_STATE SET GUARD = 'always'", "guard", "COEXIST_GUARD_ZSHELF_INSERT"),
        ("UPDATE COEXIST_STATE SET GUARD = 'record'", "guard", "COEXIST_GUARD_Z_1TAGS_UPDATE"),
    ]

    private static func adopted() throws -> SampleStore {
        let sample = try SampleStore()
        try sample.insert("Tag", ["name": .string("before")])
        try sample.adopt()
        _ = try sample.insert("Shelf", [:], keys: [:], try sample.authority())
        return sample
    }

    @Test("an adopted store is sound, and a purged one too")
    func sound() throws {
        let sample = try Self.adopted()
        #expect(try sample.violations() == [])
        try sample.connection.execute(
            "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; UPDATE COEXIST_STATE SET PURGE_FLOOR = 2")
        #expect(try sample.violations() == [])
    }

    @Test("each rule of our own tables is found where it is broken", arguments: breaks.indices)
    func broken(_ index: Int) throws {
        let (sql, rule, place) = Self.breaks[index]
        let sample = try Self.adopted()
        try sample.connection.execute(sql)
        let found = try sample.violations()
        #expect(found.contains { $0.rule == rule && $0.place == place }, "\(found)")
    }

    @Test("with the guard while running, its triggers are there all or not at all")
    func whileRunning() throws {
        let sample = try Self.adopted()
        try sample.connection.execute("UPDATE COEXIST_STATE SET GUARD = 'while-running'")
        #expect(try sample.violations() == [])
        let bookkeeping = [
            "Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
        ]
        let tables = sample.store.layout.roots.map(\.table) + ["Z_1TAGS"] + bookkeeping + CoexistenceTables.names
        for (i, table) in tables.enumerated() {
            for event in ["INSERT", "UPDATE", "DELETE"] {
                try sample.connection.execute(
                    "CREATE TRIGGER COEXIST_GUARD_\(table)_\(event) BEFORE \(event) ON \(table) BEGIN SELECT RAISE(ABORT, 'no'); END"
                )
            }
            if i == 0 { #expect(try sample.violations().contains { $0.rule == "guard" }) }
        }
        #expect(try sample.violations() == [])
    }

    @Test("a trigger of ours in a store that is not adopted is a violation")
    func leftBehind() throws {
        let sample = try SampleStore()
        try sample.connection.execute(
            "CREATE TRIGGER COEXIST_GUARD_ZTAG_DELETE BEFORE DELETE ON ZTAG BEGIN SELECT 1; END")
        #expect(try sample.violations().map(\.rule) == ["guard"])
    }
}
