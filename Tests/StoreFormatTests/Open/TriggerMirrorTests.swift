import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite
struct TriggerMirrorTests {
    /// Books with the count of their pages, and pages with their book's title.
    static let model: ModelDescription = {
        var book = EntityDescription(name: "Book")
        var count = AttributeDescription(name: "pagesCount", type: .integer64, isOptional: true)
        count.derivation = DerivationExpression(hashDescription: "count:(pages)", format: "pages.@count")
        book.attributes = [AttributeDescription(name: "title", type: .string, isOptional: true), count]
        book.relationships = [RelationshipDescription(name: "pages", destination: "Page", inverse: "book", maxCount: 0)]
        var page = EntityDescription(name: "Page")
        var title = AttributeDescription(name: "bookTitle", type: .string, isOptional: true)
        title.derivation = DerivationExpression(hashDescription: "book.title", format: "book.title")
        page.attributes = [title]
        page.relationships = [RelationshipDescription(name: "book", destination: "Book", inverse: "pages")]
        return ModelDescription(entities: [book, page])
    }()

    static let statements = [
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (1, 1, 1, 'One'), (2, 1, 1, 'Two'), (3, 1, 1, NULL)",
        "INSERT INTO ZPAGE (Z_PK, Z_ENT, Z_OPT, ZBOOK) VALUES (1, 2, 1, 1), (2, 2, 1, 1), (3, 2, 1, 2), (4, 2, 1, NULL)",
        "UPDATE ZPAGE SET ZBOOK = 2 WHERE Z_PK = 1",
        "UPDATE ZPAGE SET ZBOOK = NULL WHERE Z_PK = 3",
        "UPDATE ZPAGE SET ZBOOK = 3 WHERE Z_PK = 4",
        "UPDATE ZBOOK SET ZTITLE = 'New' WHERE Z_PK = 2",
        "DELETE FROM ZPAGE WHERE Z_PK = 2",
        "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT) VALUES (4, 1, 1)",
        "UPDATE ZPAGE SET ZBOOK = ZBOOK",
    ]

    @Test("mirrored triggers give the values that the store's own triggers give, after each statement")
    func equal() throws {
        let folder = try TemporaryFolder()
        let connections = try ["native", "mirrored"].map { name in
            let store = try StoreCreator.create(folder.file(name), model: Self.model)
            if name == "mirrored" { return try StoreConnector.connect(store.path, .writer(.normal)) }
            let connection = try Connection(path: store.path, mode: .readWrite)
            try DerivedFunctions.register(on: connection)
            return connection
        }
        for sql in Self.statements {
            for connection in connections { try connection.execute(sql) }
            for query in [
                "SELECT Z_PK, ZPAGESCOUNT, ZTITLE FROM ZBOOK", "SELECT Z_PK, ZBOOK, ZBOOKTITLE FROM ZPAGE",
            ] {
                #expect(try connections[0].query(query) == connections[1].query(query), "\(sql)")
            }
        }
        #expect(try connections[1].query("SELECT ZPAGESCOUNT FROM ZBOOK") == [[0], [1], [1], [0]])
        #expect(try connections[1].query("SELECT ZBOOKTITLE FROM ZPAGE") == [["New"], [.null], [.null]])
    }

    @Test("derived values follow saves, and the observer is told the rows")
    func saves() throws {
        let sample = try SampleStore(Self.model)
        var told: Set<Int64> = []
        try DerivedFunctions.register(on: sample.connection) { told.insert($0.key) }
        let book = try sample.insert("Book", ["title": .string("A")])
        let page = try sample.insert("Page", keys: ["book": book])
        #expect(try sample.value("Book", book, "pagesCount") == .integer(1))
        #expect(try sample.value("Page", page, "bookTitle") == .string("A"))
        #expect(told.contains(book))
        try sample.expectSound()

        try sample.connection.execute("UPDATE ZBOOK SET ZPAGESCOUNT = 9")
        #expect(try sample.violations().map { [$0.rule, $0.place] } == [["derived-value", "ZBOOK 1.pagesCount"]])
    }

    @Test("our guard does not run for our connections, and does for others")
    func guarded() throws {
        let sample = try SampleStore(Self.model)
        try sample.connection.execute(
            "CREATE TRIGGER COEXIST_GUARD_ZBOOK_INSERT BEFORE INSERT ON ZBOOK BEGIN SELECT RAISE(ABORT, 'guarded'); END"
        )
        try sample.insert("Book", ["title": .string("A")])
        let other = try Connection(path: sample.path, mode: .readWrite)
        try DerivedFunctions.register(on: other)
        let error = #expect(throws: SQLiteError.self) { try other.execute("INSERT INTO ZBOOK (Z_ENT) VALUES (1)") }
        #expect(error?.message == "guarded")
    }

    @Test("triggers that another connection makes are mirrored at the next save")
    func schemaChange() throws {
        let sample = try SampleStore(Self.model)
        try sample.insert("Book")
        let other = try Connection(path: sample.path, mode: .readWrite)
        try other.execute(
            """
            CREATE TRIGGER "odd ON name" AFTER INSERT ON ZBOOK FOR EACH ROW WHEN NEW.ZTITLE = 'ON' BEGIN
            UPDATE ZBOOK SET ZTITLE = 'seen' WHERE Z_PK = NEW.Z_PK; END
            """)
        let key = try sample.insert("Book", ["title": .string("ON")])
        #expect(try sample.value("Book", key, "title") == .string("seen"))
    }

    @Test("a spatial index follows its rows")
    func spatial() throws {
        var place = EntityDescription(name: "Place")
        place.attributes = ["latitude", "longitude"].map { AttributeDescription(name: $0, type: .double) }
        place.fetchIndexes = [
            FetchIndexDescription(
                name: "byRect", elements: ["latitude", "longitude"].map { .init(property: $0, kind: .rTree) })
        ]
        let sample = try SampleStore(ModelDescription(entities: [place]))
        let key = try sample.insert("Place", ["latitude": .double(48.5), "longitude": .double(9)])
        let inside = "SELECT count(*) FROM Z_RT_Place_byRect WHERE ZLATITUDE_MIN > 48 AND ZLATITUDE_MAX < 49"
        #expect(try sample.scalar(inside) == 1)
        try sample.update("Place", key, ["latitude": .double(10)])
        #expect(try sample.scalar(inside) == 0)
        try sample.delete("Place", key)
        #expect(try sample.count("Z_RT_Place_byRect") == 0)
        try sample.expectSound()
    }
}
