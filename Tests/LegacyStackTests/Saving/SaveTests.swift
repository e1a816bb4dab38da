import CoreData
import SQLite
import StoreFormat
import TestKit
import Testing

struct SaveTests {
    @Test func insertedObjectGetsRowKeyVersionAndHistory() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma", "pages": 474])
        #expect(book.objectID.isTemporaryID)
        try library.context.save()
        #expect(book.objectID.reference == ObjectReference(entity: "Book", key: 1))
        #expect(!library.context.hasChanges)
        #expect(try library.rows("SELECT Z_PK, Z_OPT, ZTITLE, ZPAGES FROM ZBOOK") == [[1, 1, "Emma", 474]])
        #expect(try library.rows("SELECT ZCHANGETYPE, ZENTITYPK FROM ACHANGE") == [[0, 1]])
        #expect(try library.rows("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'") == [[1]])
    }

    @Test func equalValueIsNoChange() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        book.setValue("Emma", forKey: "title")
        #expect(!library.context.hasChanges)
        #expect(try library.context.saveReturningTransaction() == nil)
        #expect(try library.rows("SELECT Z_OPT FROM ZBOOK") == [[1]])
    }

    /// Saved beside another object's change, and changed only then.
    @Test func anObjectThatWasSetToItsOwnValueIsSavedWhenItChanges() throws {
        let library = try Library()
        let (one, two) = (library.insert("Tag", ["name": "a"]), library.insert("Tag", ["name": "b"]))
        try library.context.save()
        one.setValue("a", forKey: "name")
        two.setValue("c", forKey: "name")
        try library.context.save()
        one.setValue("d", forKey: "name")
        #expect(library.context.hasChanges)
        try library.context.save()
        #expect(try library.rows("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == [["d"], ["c"]])
    }

    @Test func changedValueAddsOneToTheVersion() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        book.setValue("Persuasion", forKey: "title")
        #expect(book.changedValues().keys.sorted() == ["title"])
        #expect(book.committedValues(forKeys: ["title"])["title"] as? String == "Emma")
        try library.context.save()
        #expect(try library.rows("SELECT Z_OPT, ZTITLE FROM ZBOOK") == [[2, "Persuasion"]])
    }

    @Test func relationshipChangeTouchesBothEnds() throws {
        let library = try Library()
        let author = library.insert("Author", ["name": "Austen"])
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        book.setValue(author, forKey: "author")
        #expect((author.value(forKey: "books") as? Set<NSManagedObject>) == [book])
        try library.context.save()
        #expect(try library.rows("SELECT Z_OPT FROM ZBOOK") == [[2]])
        #expect(try library.rows("SELECT Z_OPT FROM ZPERSON") == [[2]])
        #expect(try library.rows("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 1") == [[2]])
        #expect(try library.rows("SELECT ZAUTHOR FROM ZBOOK") == [[1]])
    }

    @Test func manyToManyWritesOneRowForAPair() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        let tag = library.insert("Tag", ["name": "classic"])
        book.setValue(Set([tag]), forKey: "tags")
        try library.context.save()
        let table = try #require(
            library.instance.store.layout.entities.flatMap(\.relationships).compactMap { relationship in
                if case .manyToMany(let join) = relationship.storage { join.table } else { nil }
            }.first)
        #expect(try library.rows("SELECT count(*) FROM \(table)") == [[1]])
        library.context.delete(tag)
        try library.context.save()
        #expect(try library.rows("SELECT count(*) FROM \(table)") == [[0]])
        #expect((book.value(forKey: "tags") as? Set<NSManagedObject>)?.isEmpty == true)
        #expect(try library.rows("SELECT Z_OPT FROM ZBOOK") == [[2]])
    }

    @Test func orderedRelationshipKeepsItsOrder() throws {
        let library = try Library()
        let shelf = library.insert("Shelf", ["label": "A"])
        let books = ["one", "two", "three"].map { library.insert("Book", ["title": $0]) }
        shelf.setValue(NSOrderedSet(array: books), forKey: "books")
        try library.context.save()
        let sql = "SELECT ZTITLE, Z_FOK_SHELF FROM ZBOOK ORDER BY Z_FOK_SHELF"
        #expect(try library.rows(sql) == [["one", 2048], ["two", 3072], ["three", 4096]])
        shelf.setValue(NSOrderedSet(array: [books[2], books[0], books[1]]), forKey: "books")
        try library.context.save()
        #expect(try library.rows(sql).map { $0[0] } == ["three", "one", "two"])
        let record = try #require(
            try library.instance.object(ObjectReference(entity: "Shelf", key: 1), isFresh: true))
        #expect(record.relationships["books"] == .toMany([3, 1, 2].map { ObjectReference(entity: "Book", key: $0) }))
        let last = library.insert("Book", ["title": "four"])
        last.setValue(shelf, forKey: "shelf")
        try library.context.save()
        #expect(try library.rows(sql).map { $0[0] } == ["three", "one", "two", "four"])
    }

    @Test func mandatoryValueMissingRefusesTheSaveAndKeepsTheChanges() throws {
        let library = try Library()
        library.insert("Tag")
        library.insert("Book", ["title": "kept"])
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .validationFailed)
        #expect(error?.message.contains("Tag.name") == true)
        #expect(error?.objects.count == 1)
        #expect(library.context.insertedObjects.count == 2)
        #expect(try library.rows("SELECT count(*) FROM ZBOOK") == [[0]])
    }

    @Test func valueOfAnotherTypeRefusesTheSave() throws {
        let library = try Library()
        library.insert("Book", ["pages": 70_000])
        #expect(throws: StoreError.self) { try library.context.save() }
        library.context.rollback()
        library.insert("Book", ["title": 5])
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .typeMismatch)
    }

    @Test func uniqueConflictNamesTheProperty() throws {
        let library = try Library()
        library.insert("Tag", ["name": "a"])
        library.insert("Tag", ["name": "a"])
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .uniqueConflict)
        #expect(error?.message.contains("name") == true)
        #expect(library.context.hasChanges)
    }

    @Test func defaultsAreSetAtInsertion() throws {
        let library = try Library()
        #expect(library.insert("Book").value(forKey: "pages") as? Int == 0)
    }

    @Test func everyAttributeTypeReadsBackEqual() throws {
        let library = try Library()
        let uuid = UUID()
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.25)
        let large = Data(repeating: 7, count: 300_000)
        let values: [String: Any] = [
            "title": "Emma", "copies": 1 << 40, "stock": 12, "isLent": true, "rating": 4.5, "weight": 0.25,
            "price": Decimal(string: "12.99") ?? 0, "published": date, "identifier": uuid,
            "link": URL(string: "https://example.org/emma") as Any, "thumbnail": Data([1, 2]), "notes": Data([3]),
            "cover": large,
        ]
        library.insert("Book", values)
        try library.context.save()
        let context = try library.other().newContext()
        let book = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        #expect(book.value(forKey: "copies") as? Int == 1 << 40)
        #expect(book.value(forKey: "isLent") as? Bool == true)
        #expect(book.value(forKey: "rating") as? Double == 4.5)
        #expect(book.value(forKey: "price") as? NSDecimalNumber == NSDecimalNumber(string: "12.99"))
        #expect(book.value(forKey: "published") as? Date == date)
        #expect(book.value(forKey: "identifier") as? UUID == uuid)
        #expect(book.value(forKey: "link") as? URL == URL(string: "https://example.org/emma"))
        #expect(book.value(forKey: "thumbnail") as? Data == Data([1, 2]))
        #expect(book.value(forKey: "notes") as? Data == Data([3]))
        #expect(book.value(forKey: "cover") as? Data == large)
    }
}
