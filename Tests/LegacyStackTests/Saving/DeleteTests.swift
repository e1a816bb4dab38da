import CoreData
import SQLite
import StoreFormat
import TestKit
import Testing

struct DeleteTests {
    @Test func cascadeDeletesRowsThatWereNeverLoaded() throws {
        let library = try Library()
        let author = library.insert("Author", ["name": "Austen"])
        for title in ["Emma", "Persuasion"] { library.insert("Book", ["title": title, "author": author]) }
        try library.context.save()
        let other = try library.other().newContext()
        let found = try #require(try other.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
        other.delete(found)
        try other.save()
        #expect(try library.rows("SELECT count(*) FROM ZBOOK") == [[0]])
        #expect(try library.rows("SELECT count(*) FROM ZPERSON") == [[0]])
        #expect(try library.rows("SELECT count(*) FROM ACHANGE WHERE ZCHANGETYPE = 2") == [[3]])
    }

    @Test func nullifyClearsTheOtherEnd() throws {
        let library = try Library()
        let member = library.insert("Member", ["name": "Ann"])
        let card = library.insert("Card", ["number": 1, "member": member])
        try library.context.save()
        #expect(member.value(forKey: "card") as? NSManagedObject == card)
        library.context.delete(card)
        try library.context.save()
        #expect(member.value(forKey: "card") == nil)
        #expect(try library.rows("SELECT ZCARD, Z_OPT FROM ZPERSON") == [[.null, 2]])
    }

    @Test func denyRefusesWhileMembersAreLeft() throws {
        let library = try Library()
        let shelf = library.insert("Shelf", ["label": "A"])
        let book = library.insert("Book", ["title": "Emma", "shelf": shelf])
        try library.context.save()
        library.context.delete(shelf)
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .deleteDenied)
        #expect(shelf.isDeleted)
        library.context.delete(book)
        try library.context.save()
        #expect(try library.rows("SELECT count(*) FROM ZSHELF") == [[0]])
    }

    @Test func deletionKeepsPreservedValuesInHistory() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma", "isbn": "978"])
        try library.context.save()
        library.context.delete(book)
        try library.context.save()
        #expect(try library.rows("SELECT ZTOMBSTONE0 FROM ACHANGE WHERE ZCHANGETYPE = 2") == [["978"]])
        #expect(book.managedObjectContext == nil)
    }

    @Test func rollbackGivesUpEverything() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        book.setValue("x", forKey: "title")
        library.insert("Tag", ["name": "t"])
        library.context.rollback()
        #expect(!library.context.hasChanges)
        #expect(book.value(forKey: "title") as? String == "Emma")
        library.context.delete(book)
        library.context.rollback()
        #expect(!book.isDeleted)
    }

    /// Between a deletion and its save others may relate more objects to what goes. A policy that deletes it all the same
    /// applies the rules to those too, whether or not the members from before had been read.
    @Test(arguments: [false, true]) func membersThatOthersAddBeforeTheSaveFollowTheRule(isRead: Bool) throws {
        let library = try Library()
        let author = library.insert("Author", ["name": "Austen"])
        library.insert("Book", ["title": "Emma", "author": author])
        try library.context.save()
        let (mine, others) = (library.instance.newContext(), try library.other().newContext())
        mine.mergePolicy = .overwrite
        let found = try #require(try mine.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
        if isRead { #expect((found.value(forKey: "books") as? Set<NSManagedObject>)?.count == 1) }
        mine.delete(found)
        let same = try #require(try others.fetch(NSFetchRequest<NSManagedObject>(entityName: "Author")).first)
        library.insert("Book", ["title": "Persuasion", "author": same], in: others)
        try others.save()
        try mine.save()
        #expect(try library.rows("SELECT count(*) FROM ZBOOK") == [[0]])
        #expect(try library.rows("SELECT count(*) FROM ZPERSON") == [[0]])
    }

    @Test func aMemberThatOthersAddBeforeTheSaveIsDeniedToo() throws {
        let library = try Library()
        library.insert("Shelf", ["label": "A"])
        try library.context.save()
        let (mine, others) = (library.instance.newContext(), try library.other().newContext())
        mine.mergePolicy = .overwrite
        mine.delete(try #require(try mine.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first))
        let same = try #require(try others.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shelf")).first)
        library.insert("Book", ["title": "Emma", "shelf": same], in: others)
        try others.save()
        let error = #expect(throws: StoreError.self) { try mine.save() }
        #expect(error?.code == .deleteDenied)
        #expect(try library.rows("SELECT count(*) FROM ZSHELF") == [[1]])
    }
}
