import CoreData
import StoreFormat
import TestKit
import Testing

/// Objects that are made without a context, and come into one later.
struct LooseObjectTests {
    private func make(_ library: Library, _ entity: String, _ values: [String: Any] = [:]) throws -> NSManagedObject {
        let description = try #require(NSEntityDescription.entity(forEntityName: entity, in: library.context))
        let object = NSManagedObject(entity: description, insertInto: nil)
        object.setValuesForKeys(values)
        return object
    }

    @Test func valuesAreKeptUntilTheObjectIsInserted() throws {
        let library = try Library()
        let book = try make(library, "Book", ["title": "Emma", "rating": 4.5])
        #expect(book.managedObjectContext == nil && !book.isInserted && !book.hasChanges && !book.isDeleted)
        #expect(book.value(forKey: "title") as? String == "Emma")
        #expect(book.value(forKey: "pages") as? Int == 0, "the model's default")
        #expect(book.objectID.isTemporaryID)
        try library.context.save()
        #expect(try library.rows("SELECT count(*) FROM ZBOOK") == [[0]])

        library.context.insert(book)
        #expect(book.managedObjectContext === library.context && book.isInserted)
        library.context.insert(book)
        try library.context.save()
        #expect(try library.rows("SELECT ZTITLE, ZRATING, ZPAGES FROM ZBOOK") == [["Emma", 4.5, 0]])
        #expect(!book.isInserted && !book.objectID.isTemporaryID)
    }

    @Test func aTypedObjectIsToldWhenItIsInserted() throws {
        let library = try Library()
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
        let book = Book(entity: entity, insertInto: nil)
        book.title = "Emma"
        #expect(book.published == nil)
        library.context.insert(book)
        #expect(book.published == Date(timeIntervalSinceReferenceDate: 1))
        #expect(book.title == "Emma")
    }

    @Test func relatedObjectsComeAlongAndTheirInversesFollow() throws {
        let library = try Library()
        let author = try make(library, "Author", ["name": "Austen"])
        let books = try ["Emma", "Persuasion"].map { try make(library, "Book", ["title": $0]) }
        let shelf = try make(library, "Shelf")
        let tag = try make(library, "Tag", ["name": "x"])
        books[0].setValue(author, forKey: "author")
        author.addObject(books[1], toRelationship: "books")
        shelf.setValue(NSOrderedSet(array: [books[1], books[0]]), forKey: "books")
        books[0].setValue(Set([tag]), forKey: "tags")
        #expect(books[0].value(forKey: "author") as? NSManagedObject === author)
        #expect(author.value(forKeyPath: "books.@count") as? Int == 1)
        #expect((shelf.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject] == [books[1], books[0]])

        library.context.insert(shelf)
        #expect(library.context.insertedObjects == Set([author, shelf, tag] + books))
        #expect(author.value(forKey: "books") as? Set<NSManagedObject> == Set(books))
        #expect(tag.value(forKey: "books") as? Set<NSManagedObject> == [books[0]])
        try library.context.save()
        #expect(
            try library.rows("SELECT ZTITLE, ZAUTHOR NOT NULL, ZSHELF FROM ZBOOK ORDER BY Z_FOK_SHELF")
                == [["Persuasion", 1, 1], ["Emma", 1, 1]])
    }

    @Test func whatIsTakenOutOfARelationshipDoesNotComeAlong() throws {
        let library = try Library()
        let (author, book) = (try make(library, "Author"), try make(library, "Book"))
        author.addObject(book, toRelationship: "books")
        author.removeObject(book, fromRelationship: "books")
        book.setValue(author, forKey: "author")
        book.setValue(nil, forKey: "author")
        library.context.insert(author)
        #expect(library.context.insertedObjects == [author])
        #expect(book.managedObjectContext == nil)
    }

    @Test(arguments: [false, true])
    func anObjectIsTakenInByBeingRelatedToOneOfAContext(_ fromTheContext: Bool) throws {
        let library = try Library()
        let shelf = library.insert("Shelf")
        let book = try make(library, "Book", ["title": "Emma"])
        if fromTheContext {
            shelf.addObject(book, toRelationship: "books")
        } else {
            book.setValue(shelf, forKey: "shelf")
        }
        #expect(book.managedObjectContext === library.context && book.isInserted)
        try library.context.save()
        #expect(try library.rows("SELECT ZTITLE, ZSHELF FROM ZBOOK") == [["Emma", 1]])
    }

    @Test func anObjectOfAnotherEntityIsRefusedByTheSave() throws {
        let library = try Library()
        let (book, tag) = (try make(library, "Book"), try make(library, "Tag", ["name": "x"]))
        book.setValue(tag, forKey: "author")
        library.context.insert(book)
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .typeMismatch && error?.message.contains("Book.author leads to Author") == true)
    }

    @Test func aRollbackLetsGoOfATakenInObject() throws {
        let library = try Library()
        let book = try make(library, "Book")
        library.context.insert(book)
        library.context.rollback()
        #expect(!library.context.hasChanges && book.managedObjectContext == nil)
    }
}
