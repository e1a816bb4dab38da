import Foundation
import ModelStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite struct InstanceSaveTests {
    private let folder: TemporaryFolder
    private let path: String
    private let instance: ModelInstance

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
        instance = try ModelInstance(path: path)
    }

    private func sql(_ text: String) throws -> [[SQLValue]] {
        try StoreConnector.connect(path, .reader).query(text)
    }

    private func save(_ operations: ObjectBatch.Operation...) throws -> SaveResult {
        try instance.save(ObjectBatch(operations, author: "tester"))
    }

    private func library() throws -> SaveResult {
        try save(
            .insert(entity: "Author", name: "ann", values: ["name": .attribute(.string("Ann"))]),
            .insert(
                entity: "Book", name: "one",
                values: [
                    "title": .attribute(.string("One")), "pages": .attribute(.integer(100)),
                    "author": .toOne(.new("ann")),
                ]),
            .insert(
                entity: "Book", name: "two",
                values: [
                    "title": .attribute(.string("Zwei")), "pages": .attribute(.integer(200)),
                    "author": .toOne(.new("ann")),
                ]),
            .insert(
                entity: "Tag", name: "red",
                values: ["name": .attribute(.string("red")), "books": .toMany([.new("one")])]),
            .insert(entity: "Shelf", name: "shelf", values: ["books": .toMany([.new("two"), .new("one")])]))
    }

    @Test func insertedGraphIsWrittenWithKeysOrderAndJoinRows() throws {
        let result = try library()
        #expect(result.objects["ann"] == ObjectReference(entity: "Author", key: 1))
        #expect(
            try sql("SELECT ZTITLE, ZAUTHOR, ZSHELF, Z_FOK_SHELF, Z_OPT FROM ZBOOK ORDER BY Z_PK") == [
                ["One", 1, 1, 3072, 1], ["Zwei", 1, 1, 2048, 1],
            ])
        #expect(try sql("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 0") == [[5]])
        let shelf = try #require(try instance.object(ObjectReference(entity: "Shelf", key: 1), isFresh: true))
        #expect(
            shelf.relationships["books"] == .toMany([.init(entity: "Book", key: 2), .init(entity: "Book", key: 1)]))
        let tag = try #require(try instance.object(ObjectReference(entity: "Tag", key: 1), isFresh: true))
        #expect(tag.relationships["books"] == .toMany([.init(entity: "Book", key: 1)]))
    }

    @Test func changedRelationshipGivesBothEndsAVersionAndAChange() throws {
        _ = try library()
        let result = try save(.update(.init(entity: "Book", key: 1), values: ["author": .toOne(nil)], expecting: 1))
        #expect(try sql("SELECT Z_OPT FROM ZPERSON") == [[2]])
        #expect(try sql("SELECT Z_OPT, ZAUTHOR FROM ZBOOK WHERE Z_PK = 1") == [[2, .null]])
        let number = try #require(result.transaction)
        #expect(
            try sql("SELECT ZENTITYPK FROM ACHANGE WHERE ZTRANSACTIONID = \(number) AND ZCHANGETYPE = 1").count == 2)
    }

    @Test func equalValueIsNoChangeAndWritesNothing() throws {
        _ = try library()
        let result = try save(
            .update(.init(entity: "Book", key: 1), values: ["title": .attribute(.string("One"))], expecting: nil))
        #expect(result.transaction == nil)
        #expect(try sql("SELECT Z_OPT FROM ZBOOK WHERE Z_PK = 1") == [[1]])
    }

    @Test func otherVersionThanExpectedIsAConflict() throws {
        _ = try library()
        #expect(throws: StoreError.self) {
            try save(.update(.init(entity: "Book", key: 1), values: ["title": .attribute(nil)], expecting: 7))
        }
        #expect(try sql("SELECT ZTITLE FROM ZBOOK WHERE Z_PK = 1") == [["One"]])
    }

    @Test func cascadeReachesRowsThatAreNotInMemory() throws {
        _ = try library()
        _ = try save(.update(.init(entity: "Shelf", key: 1), values: ["books": .toMany([])], expecting: nil))
        _ = try save(.delete(.init(entity: "Author", key: 1), expecting: nil))
        #expect(try sql("SELECT count(*) FROM ZBOOK") == [[0]])
        #expect(try sql("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == [[3]])
        #expect(try instance.object(.init(entity: "Tag", key: 1), isFresh: true)?.relationships["books"] == .toMany([]))
    }

    @Test func denyRefusesTheDeleteAndNamesWhatItHolds() throws {
        _ = try library()
        let error = #expect(throws: StoreError.self) {
            try save(.delete(.init(entity: "Shelf", key: 1), expecting: nil))
        }
        #expect(error?.code == .deleteDenied)
        #expect(error?.objects.map(\.object) == [.init(entity: "Shelf", key: 1)])
        #expect(error?.message == "Shelf/1: Shelf.books denies it while it holds Book/2, Book/1")
        #expect(try sql("SELECT count(*) FROM ZSHELF") == [[1]])
    }

    @Test func missingMandatoryValueIsRefusedWithEveryObject() throws {
        let error = #expect(throws: StoreError.self) {
            try save(
                .insert(entity: "Tag", name: "a", values: [:]), .insert(entity: "Tag", name: "b", values: [:]),
                .insert(entity: "Shelf", name: "c", values: [:]))
        }
        #expect(error?.code == .validationFailed)
        #expect(error?.objects.count == 2)
        #expect(try sql("SELECT count(*) FROM ZSHELF") == [[0]])
    }

    @Test func secondObjectWithAUniqueValueIsAConflict() throws {
        _ = try library()
        let error = #expect(throws: StoreError.self) {
            try save(.insert(entity: "Tag", name: "x", values: ["name": .attribute(.string("red"))]))
        }
        #expect(error?.code == .uniqueConflict)
    }

    @Test func valueOfAnotherTypeIsRefused() throws {
        let error = #expect(throws: StoreError.self) {
            try save(.insert(entity: "Book", name: "x", values: ["pages": .attribute(.string("many"))]))
        }
        #expect(error?.code == .typeMismatch)
        let range = #expect(throws: StoreError.self) {
            try save(.insert(entity: "Book", name: "x", values: ["pages": .attribute(.integer(70_000))]))
        }
        #expect(range?.code == .typeMismatch)
    }

    @Test(arguments: [
        ("title == 'One'", [1]), ("title != 'One'", [2]), ("pages BETWEEN {150, 250}", [2]),
        ("author.name == 'Ann'", [1, 2]),
        ("title BEGINSWITH[c] 'o'", [1]), ("title ENDSWITH 'ei'", [2]), ("title CONTAINS[c] 'W'", [2]),
        ("title LIKE 'O?e'", [1]), ("title MATCHES '[A-O].*'", [1]), ("title IN {'One', 'x'}", [1]),
        ("ANY tags.name == 'red'", [1]), ("NONE tags.name == 'red'", [2]), ("tags.@count == 0", [2]),
        ("SUBQUERY(tags, $t, $t.name == 'red').@count > 0", [1]), ("isbn == nil", [1, 2]), ("rating < 3", []),
        ("NOT (pages == 100)", [2]), ("pages + 1 == 101 OR pages == 200", [1, 2]), ("author == 'Author/1'", [1, 2]),
        ("SELF IN {'Book/2'}", [2]), ("author.books.@count == 2 AND pages > '150'", [2]),
        ("shelf.label == nil", [1, 2]),
        ("rating != 3", [1, 2]), ("ALL tags.name == 'red'", [1, 2]), ("title ==[cd] 'ÖNE'", [1]),
    ])
    func predicateFindsTheseBooks(_ format: String, _ keys: [Int64]) throws {
        _ = try library()
        let query = ObjectQuery(entity: "Book", predicate: try PredicateNode.parse(format))
        #expect(try instance.objects(matching: query).map(\.reference.key) == keys)
        #expect(try instance.count(of: query) == keys.count)
    }

    @Test func unknownKeyNamesTheNearest() throws {
        let query = ObjectQuery(entity: "Book", predicate: try PredicateNode.parse("titl == 'x'"))
        let error = #expect(throws: StoreError.self) { try instance.objects(matching: query) }
        #expect(error?.code == .unknownKey)
        #expect(error?.way.contains("title") == true)
    }

    @Test func replayedChangeOfAnotherInstanceReplacesTheCachedRow() throws {
        _ = try library()
        let other = try ModelInstance(path: path)
        let book = ObjectReference(entity: "Book", key: 1)
        _ = try instance.object(book, isFresh: false)
        _ = try other.save(ObjectBatch([.update(book, values: ["title": .attribute(.string("New"))], expecting: nil)]))
        #expect(try instance.object(book, isFresh: false)?.values["title"] == .some(.string("One")))
        let history = HistoryReader(try StoreConnector.connect(path, .reader), store: instance.store)
        try instance.apply(history.transactions(after: instance.position))
        #expect(try instance.object(book, isFresh: false)?.values["title"] == .some(.string("New")))
        #expect(instance.position == 2)
    }

    @Test func aBookThatIsTakenFromItsShelfKeepsNoPlaceOnIt() throws {
        _ = try library()
        _ = try save(.update(.init(entity: "Book", key: 1), values: ["shelf": .toOne(nil)], expecting: nil))
        #expect(
            try sql("SELECT ZSHELF, Z_FOK_SHELF FROM ZBOOK ORDER BY Z_PK") == [[.null, .null], [1, 2048]])
        _ = try save(.update(.init(entity: "Shelf", key: 1), values: ["books": .toMany([])], expecting: nil))
        #expect(try sql("SELECT count(*) FROM ZBOOK WHERE Z_FOK_SHELF IS NOT NULL") == [[0]])
    }

    /// Rules go by what the batch leaves: who moved away stays, who has come goes too.
    @Test func cascadeGoesByWhereTheBatchPutsTheMembers() throws {
        _ = try library()
        _ = try save(
            .insert(entity: "Author", name: "bea", values: ["name": .attribute(.string("Bea"))]),
            .update(.init(entity: "Book", key: 1), values: ["author": .toOne(.new("bea"))], expecting: nil),
            .insert(
                entity: "Book", name: "three",
                values: [
                    "title": .attribute(.string("Three")), "pages": .attribute(.integer(3)),
                    "author": .toOne(.existing(.init(entity: "Author", key: 1))),
                ]),
            .delete(.init(entity: "Author", key: 1), expecting: nil))
        #expect(try sql("SELECT ZTITLE, ZAUTHOR FROM ZBOOK") == [["One", 2]])
        #expect(try sql("SELECT ZNAME FROM ZPERSON") == [["Bea"]])
        #expect(try StoreVerifier.verify(StoreConnector.connect(path, .reader), store: instance.store) == [])
    }

    @Test func aDeleteClearsNoKeyThatLeadsElsewhereByThen() throws {
        _ = try save(
            .insert(entity: "Member", name: "m", values: ["name": .attribute(.string("Ann"))]),
            .insert(
                entity: "Card", name: "old", values: ["number": .attribute(.integer(1)), "member": .toOne(.new("m"))]))
        let member = ObjectReference(entity: "Member", key: 1)
        _ = try save(
            .insert(
                entity: "Card", name: "new",
                values: ["number": .attribute(.integer(2)), "member": .toOne(.existing(member))]),
            .delete(.init(entity: "Card", key: 1), expecting: nil))
        #expect(try sql("SELECT Z_PK, ZMEMBER FROM ZCARD") == [[2, 1]])
        #expect(try sql("SELECT ZCARD FROM ZPERSON") == [[2]])
    }
}
