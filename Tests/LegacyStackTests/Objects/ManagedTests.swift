import CoreData
import StoreFormat
import TestKit
import Testing

final class Author: NSManagedObject {
    @Managed var name: String?
    @Managed var penName: String?
    @Managed var books: Set<Book>
}

final class Book: NSManagedObject {
    @Managed var title: String
    @Managed var pages: Int16
    @Managed var isLent: Bool
    @Managed var rating: Double
    @Managed var published: Date?
    @Managed var price: NSDecimalNumber?
    @Managed var author: Author?
    @Managed var shelf: Shelf?
    @Managed var tags: NSSet?
    var saves = 0

    override func awakeFromInsert() { published = Date(timeIntervalSinceReferenceDate: 1) }
    override func didSave() { saves += 1 }
}

final class Shelf: NSManagedObject {
    @Managed var label: String?
    @Managed var books: [Book]
}

struct ManagedTests {
    @Test func typedPropertiesReadAndWriteTheirEntities() throws {
        let library = try Library()
        let author = Author(context: library.context)
        author.name = "Austen"
        let book = Book(context: library.context)
        book.title = "Emma"
        book.pages = 474
        book.rating = 4.5
        book.price = NSDecimalNumber(string: "9.5")
        book.author = author
        #expect(author.books == [book])
        try library.context.save()
        #expect(book.saves == 1)
        #expect(try library.rows("SELECT ZTITLE, ZPAGES, ZPUBLISHED, ZAUTHOR FROM ZBOOK") == [["Emma", 474, 1, 1]])

        let context = try library.other().newContext()
        let found = try #require(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
        #expect(found.isFault)
        #expect(found.title == "Emma")
        #expect(!found.isFault)
        #expect(found.pages == 474)
        #expect(!found.isLent)
        #expect(found.price == NSDecimalNumber(string: "9.5"))
        #expect(found.author?.name == "Austen")
        #expect(found.author?.books == [found])
        #expect(found.tags?.count == 0)
    }

    @Test func orderedPropertyIsAnArray() throws {
        let library = try Library()
        let shelf = Shelf(context: library.context)
        let books = ["a", "b", "c"].map { title in
            let book = Book(context: library.context)
            book.title = title
            return book
        }
        shelf.books = books
        try library.context.save()
        shelf.books.swapAt(0, 2)
        try library.context.save()
        library.context.refreshAllObjects()
        #expect(shelf.books.map(\.title) == ["c", "b", "a"])
        #expect(books[0].shelf === shelf)
    }

    @Test func movingToAnotherOwnerUpdatesBoth() throws {
        let library = try Library()
        let (first, second) = (Author(context: library.context), Author(context: library.context))
        let book = Book(context: library.context)
        first.books = [book]
        try library.context.save()
        second.books.insert(book)
        #expect(first.books.isEmpty)
        #expect(book.author === second)
        try library.context.save()
        #expect(try library.rows("SELECT Z_OPT FROM ZPERSON") == [[2], [2]])
    }
}
