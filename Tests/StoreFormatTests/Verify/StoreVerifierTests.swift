import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite
struct StoreVerifierTests {
    /// A library with an author, a member with a card, two books on a shelf, and a tag on the first.
    static func library() throws -> SampleStore {
        let sample = try SampleStore()
        try sample.save { save in
            let author = try SampleStore.insert("Author", ["name": .string("A")], in: save)
            let shelf = try SampleStore.insert("Shelf", in: save)
            for i in 1...2 {
                try SampleStore.insert(
                    "Book", ["pages": .integer(Int64(i)), "identifier": .uuid(UUID())],
                    keys: ["author": author, "shelf": shelf], in: save)
            }
            let tag = try SampleStore.insert("Tag", ["name": .string("T")], in: save)
            guard case .manyToMany(let join)? = try save.store.layout.entity("Book").relationship("tags")?.storage
            else {
                throw CancellationError()
            }
            try save.insertJoin(join, own: 1, other: tag)
            let member = try SampleStore.insert("Member", keys: ["card": 1], in: save)
            try SampleStore.insert("Card", ["number": .integer(1)], keys: ["member": member], in: save)
        }
        return sample
    }

    // Numbers: Book 1, Card 2, Person 3, Author 4, Member 5, Shelf 6, Tag 7.
    static let breaks: [(sql: String, rule: String, place: String)] = [
        ("PRAGMA user_version = 3", "file-header", "user_version"),
        (
            "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Gone' WHERE Z_NAME = 'Tag'; UPDATE Z_PRIMARYKEY SET Z_ENT = 99 WHERE Z_NAME = 'Gone'",
            "catalogue-missing", "Tag"
        ),
        ("UPDATE Z_PRIMARYKEY SET Z_SUPER = 0 WHERE Z_NAME = 'Author'", "catalogue-super", "Author"),
        ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Book'", "key-counter", "ZBOOK"),
        ("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Author'", "key-counter-sub", "Author"),
        ("UPDATE Z_METADATA SET Z_UUID = lower(Z_UUID)", "metadata-uuid", "Z_METADATA"),
        ("INSERT INTO Z_METADATA SELECT 2, Z_UUID, Z_PLIST FROM Z_METADATA", "metadata-rows", "Z_METADATA"),
        ("DROP TABLE ZSHELF", "table-missing", "Shelf"),
        ("ALTER TABLE ZBOOK DROP COLUMN ZTITLE", "column-missing", "ZBOOK Book.title"),
        ("UPDATE ZBOOK SET Z_ENT = 2 WHERE Z_PK = 2", "row-entity", "ZBOOK 2"),
        ("UPDATE ZPERSON SET Z_ENT = 3 WHERE Z_PK = 2", "row-abstract", "ZPERSON 2"),
        ("UPDATE ZBOOK SET Z_OPT = 0 WHERE Z_PK = 2", "row-version", "ZBOOK 2"),
        ("UPDATE ZBOOK SET ZTITLE = x'00' WHERE Z_PK = 2", "value-class", "ZBOOK 2.title"),
        ("UPDATE ZBOOK SET ZPAGES = 'many' WHERE Z_PK = 2", "value-class", "ZBOOK 2.pages"),
        ("UPDATE ZBOOK SET ZPUBLISHED = 'soon' WHERE Z_PK = 2", "value-class", "ZBOOK 2.published"),
        ("UPDATE ZBOOK SET ZPAGES = 40000 WHERE Z_PK = 2", "value-range", "ZBOOK 2.pages"),
        ("UPDATE ZBOOK SET ZSTOCK = 1 << 31 WHERE Z_PK = 2", "value-range", "ZBOOK 2.stock"),
        ("UPDATE ZBOOK SET ZISLENT = 2 WHERE Z_PK = 2", "value-range", "ZBOOK 2.isLent"),
        ("UPDATE ZBOOK SET ZIDENTIFIER = x'0011' WHERE Z_PK = 2", "value-uuid", "ZBOOK 2.identifier"),
        ("UPDATE ZBOOK SET ZCOVER = x'0300' WHERE Z_PK = 2", "value-external", "ZBOOK 2.cover"),
        (
            "UPDATE ZBOOK SET ZCOVER = x'0241314232433344342D303030302D313131312D323232322D33333333343434343535353500' WHERE Z_PK = 2",
            "external-file", "ZBOOK 2.cover"
        ),
        ("UPDATE ZBOOK SET ZPAGES = NULL WHERE Z_PK = 2", "value-mandatory", "ZBOOK 2.pages"),
        ("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 2", "dangling", "ZBOOK 2.author"),
        ("UPDATE ZBOOK SET ZAUTHOR = 2 WHERE Z_PK = 2", "wrong-entity", "ZBOOK 2.author"),
        ("UPDATE ZCARD SET ZMEMBER = NULL", "inverse", "ZPERSON 2.card"),
        ("DROP TABLE Z_1TAGS", "join-missing", "Book.tags"),
        ("INSERT INTO Z_1TAGS VALUES (77, 1)", "join-dangling", "Z_1TAGS 77,1"),
        ("UPDATE ZBOOK SET Z_FOK_SHELF = NULL WHERE Z_PK = 2", "order-missing", "ZBOOK 2.shelf"),
        ("UPDATE ZBOOK SET Z_FOK_SHELF = 2048", "order-duplicate", "ZBOOK ZSHELF 1"),
        (
            "DROP INDEX Z_Tag_UNIQUE_name; INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (0, 7, 1, 'T')",
            "unique",
            "ZTAG 0.name"
        ),
        ("DROP INDEX Z_Tag_UNIQUE_name", "index-missing", "ZTAG"),
        ("DROP INDEX ZBOOK_ZAUTHOR_INDEX", "index-missing", "ZBOOK"),
        ("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'CHANGE'", "history-counter", "ACHANGE"),
        ("UPDATE ACHANGE SET ZCHANGETYPE = 5 WHERE Z_PK = 1", "history-type", "ACHANGE 1"),
        ("UPDATE ACHANGE SET ZENTITY = 44 WHERE Z_PK = 1", "history-entity", "ACHANGE 1"),
        ("UPDATE ACHANGE SET ZCOLUMNS = x'00' WHERE Z_PK = 1", "history-columns", "ACHANGE 1"),
        ("UPDATE ACHANGE SET ZTRANSACTIONID = 9 WHERE Z_PK = 1", "history-orphan", "ACHANGE 1"),
        ("DELETE FROM ATRANSACTIONSTRING WHERE ZNAME = 'author'", "history-string", "ATRANSACTION 1"),
        ("UPDATE ACHANGE SET ZCHANGETYPE = 1, ZCOLUMNS = x'00' WHERE Z_PK = 3", "history-bitmap", "ACHANGE 3"),
        ("UPDATE ACHANGE SET ZCHANGETYPE = 2 WHERE Z_PK = 2", "history-deleted", "Shelf 1"),
        ("DELETE FROM ZCARD; UPDATE ZPERSON SET ZCARD = NULL", "history-vanished", "Card 1"),
        ("UPDATE ZPERSON SET Z_ENT = 4 WHERE Z_PK = 2", "history-kind", "Member 2"),
    ]

    @Test("a sound store has no violations")
    func sound() throws { try Self.library().expectSound() }

    @Test("each rule is found where it is broken, by us and by the independent checker", arguments: breaks.indices)
    func broken(_ index: Int) throws {
        let (sql, rule, place) = Self.breaks[index]
        let sample = try Self.library()
        try sample.connection.execute(sql)
        let found = try sample.violations()
        #expect(found.contains { $0.rule == rule && $0.place == place && $0.severity == .error }, "\(found)")
        guard let theirs = try Oracle.check(sample.path), Corpus.tools != nil else { return }
        // What the other checker knows nothing of.
        let ours: Set = ["file-header", "metadata-uuid", "metadata-rows", "order-missing", "order-duplicate"]
        if ours.contains(rule) || sql == "DROP INDEX Z_Tag_UNIQUE_name" { return }
        #expect(theirs.contains { $0.rule == rule }, "\(theirs)")
        let missed = theirs.filter { theirs in !found.contains { $0.rule == theirs.rule } }
        #expect(missed == [])
    }

    @Test("violations that adoption recorded are inherited, new ones are errors")
    func inherited() throws {
        let sample = try Self.library()
        try sample.connection.execute("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 2")
        let before = try sample.violations()
        try sample.adopt()
        for violation in before {
            try sample.connection.run(
                "INSERT INTO COEXIST_INHERITED VALUES (?, ?, ?)",
                [.text(violation.rule), .text(violation.place), .text(violation.what)])
        }
        try sample.connection.execute("UPDATE ZBOOK SET ZAUTHOR = 77 WHERE Z_PK = 1")
        let after = try sample.violations()
        #expect(after.map(\.place) == ["ZBOOK 1.author", "ZBOOK 2.author"])
        #expect(after.map(\.severity) == [.error, .inherited])
    }

    @Test("a pair with an object of the right table and the wrong entity is found")
    func pairWithAnotherEntity() throws {
        var person = EntityDescription(name: "Person")
        person.isAbstract = true
        var artist = EntityDescription(name: "Artist", superentityName: "Person")
        artist.relationships = [
            RelationshipDescription(name: "songs", destination: "Song", inverse: "artists", maxCount: 0)
        ]
        let guide = EntityDescription(name: "Guide", superentityName: "Person")
        var song = EntityDescription(name: "Song")
        song.relationships = [
            RelationshipDescription(name: "artists", destination: "Artist", inverse: "songs", maxCount: 0)
        ]
        let sample = try SampleStore(ModelDescription(entities: [person, artist, guide, song]))
        try sample.save { save in
            for entity in ["Artist", "Guide", "Song"] { try SampleStore.insert(entity, in: save) }
            guard case .manyToMany(let join)? = try save.store.layout.entity("Artist").relationship("songs")?.storage
            else { throw CancellationError() }
            try save.insertJoin(join, own: 1, other: 1)
            #expect(
                try StoreVerifier.verify(save.connection, store: save.store).filter { $0.rule.hasPrefix("join") } == [])
            try save.insertJoin(join, own: 2, other: 1)
        }
        let found = try sample.violations()
        #expect(found.map(\.rule) == ["join-dangling"])
        #expect(found.first?.what.hasSuffix(" 2 is no Artist") ?? false, "\(found)")
    }

    @Test("many violations of one rule are counted, not all returned")
    func bounded() throws {
        let sample = try SampleStore(isTracked: false)
        try sample.connection.execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
            INSERT INTO ZSHELF (Z_PK, Z_ENT, Z_OPT) SELECT i, 6, 0 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 1500 WHERE Z_NAME = 'Shelf'
            """)
        let found = try sample.violations()
        #expect(found.count == StoreVerifier.limit + 1)
        #expect(found.last?.what == "and 500 more")
        var count = 0
        try StoreVerifier.forEachViolation(sample.connection, store: sample.store) { _ in count += 1 }
        #expect(count == 1500)
    }

    @Test("verifying joins a transaction that is open")
    func insideTransaction() throws {
        let sample = try Self.library()
        try sample.connection.transaction(.immediate) {
            try sample.connection.execute("UPDATE ZBOOK SET Z_OPT = 0")
            #expect(try sample.violations().map(\.rule) == ["row-version", "row-version"])
            try sample.connection.execute("UPDATE ZBOOK SET Z_OPT = 1")
        }
    }

    @Test(arguments: ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"])
    func aTableOfHistoryThatIsMissingIsNamed(table: String) throws {
        let sample = try SampleStore()
        try sample.insert("Tag", ["name": .string("a")])
        try sample.connection.execute("DROP TABLE \(table)")
        let reader = try StoreConnector.offlineReader(sample.path)
        let found = try StoreVerifier.verify(reader, store: Store.open(sample.path))
        #expect(found.contains { $0.rule == "history-table" && $0.place == table })
    }
}
