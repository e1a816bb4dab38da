import CoreData
import SQLite
import StoreFormat
import TestKit
import Testing

struct ReplayTests {
    @Test func staleObjectReadsTheNewValueAfterReplay() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        let other = try library.other()
        let context = other.newContext()
        let theirs = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        #expect(theirs.value(forKey: "title") as? String == "Emma")
        book.setValue("Persuasion", forKey: "title")
        try library.context.save()
        #expect(theirs.value(forKey: "title") as? String == "Emma")
        try library.replay(other)
        #expect(theirs.value(forKey: "title") as? String == "Persuasion")
        #expect(other.position == 2)
        #expect(other.cacheStatistics.invalidations == 1)
    }

    @Test func ownTransactionsMoveOnlyThePosition() throws {
        let library = try Library()
        let notices = Notices()
        library.instance.setCommitHandler { notices.add($0.transaction) }
        library.insert("Book", ["title": "Emma"])
        try library.context.save()
        #expect(notices.all == [1])
        try library.adopt(model: [])
        try library.replay()
        #expect(library.instance.position == 1)
    }

    @Test func deletedObjectIsMarkedAndLeavesTheContext() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        let other = try library.other()
        let context = other.newContext()
        let theirs = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        library.context.delete(book)
        try library.context.save()
        try library.replay(other)
        #expect(theirs.isDeleted)
        #expect(theirs.managedObjectContext == nil)
        #expect(throws: StoreError.self) { try context.existingObject(with: theirs.objectID) }
    }

    @Test func changedObjectKeepsItsChangesAndMeetsTheVersionTest() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma", "pages": 1])
        try library.context.save()
        let other = try library.other()
        let context = other.newContext()
        let theirs = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        theirs.setValue(99, forKey: "pages")
        book.setValue("Persuasion", forKey: "title")
        try library.context.save()
        try library.replay(other)
        #expect(theirs.value(forKey: "pages") as? Int == 99)
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .versionConflict)
        #expect(context.hasChanges)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        #expect(try library.rows("SELECT ZTITLE, ZPAGES, Z_OPT FROM ZBOOK") == [["Persuasion", 99, 3]])
        #expect(theirs.value(forKey: "title") as? String == "Persuasion")
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyStoreTrump, "theirs", 7), (.mergeByPropertyObjectTrump, "mine", 7),
        (.overwrite, "mine", 1), (.rollback, "theirs", 7),
    ])
    func mergePolicyDecidesAConflict(_ policy: NSMergePolicy, _ title: String, _ stock: Int64) throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "old", "stock": 1])
        try library.context.save()
        let context = try library.other().newContext()
        let theirs = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        theirs.setValuesForKeys(["title": "theirs", "stock": 7])
        try context.save()
        book.setValue("mine", forKey: "title")
        library.context.mergePolicy = policy
        try library.context.save()
        #expect(try library.rows("SELECT ZTITLE, ZSTOCK FROM ZBOOK") == [[.text(title), .integer(stock)]])
        #expect(book.value(forKey: "title") as? String == title)
    }
}

/// What a commit handler was told.
private final class Notices: @unchecked Sendable {
    // Safe to share: only touched under the lock.
    private let lock = NSLock()
    private var numbers: [Int64] = []

    func add(_ number: Int64) { lock.withLock { numbers.append(number) } }
    var all: [Int64] { lock.withLock { numbers } }
}
