import CoreData
import SQLite
import StoreFormat
import TestKit
import Testing

/// Two contexts hold the same version of a row, and both save it.
@Suite struct MergeTests {
    /// A book of 100 pages, called "old", on shelf "A".
    private final class Two {
        let library: Library
        let first: NSManagedObjectContext
        let second: NSManagedObjectContext
        let firstBook: NSManagedObject
        let secondBook: NSManagedObject

        init(_ policy: NSMergePolicy) throws {
            library = try Library()
            let shelf = library.insert("Shelf", ["label": "A"])
            let author = library.insert("Author", ["name": "Eco"])
            library.insert("Book", ["title": "old", "pages": 100, "shelf": shelf, "author": author])
            library.insert("Tag", ["name": "one"])
            library.insert("Tag", ["name": "two"])
            try library.context.save()
            first = library.instance.newContext()
            second = library.instance.newContext()
            second.mergePolicy = policy
            firstBook = try Self.only("Book", first)
            secondBook = try Self.only("Book", second)
            // Faults would read what the first saved.
            _ = (firstBook.value(forKey: "title"), secondBook.value(forKey: "title"))
        }

        static func only(_ entity: String, _ context: NSManagedObjectContext, _ format: String? = nil) throws
            -> NSManagedObject
        {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            request.predicate = format.map { NSPredicate(format: $0) }
            return try #require(try context.fetch(request).first)
        }

        /// Title, pages, and version in the file.
        var row: [SQLValue] {
            get throws { try library.rows("SELECT ZTITLE, ZPAGES, Z_OPT FROM ZBOOK")[0] }
        }

        func firstSaves(_ values: [String: Any]) throws {
            firstBook.setValuesForKeys(values)
            try first.save()
        }
    }

    /// The value is made from what was read; what came since is not overwritten unseen.
    @Test(arguments: ["pages", "shelf"]) func aSetterDoesNotTakeInWhatCameSinceTheValueWasRead(_ key: String) throws {
        let two = try Two(.error)
        let other = try LegacyInstance(path: two.library.instance.store.path)
        let context = other.newContext()
        let book = try Two.only("Book", context)
        let read = try #require(book.value(forKey: "pages") as? Int)
        two.firstBook.setValue(500, forKey: "pages")
        try two.first.save()
        try other.replay()
        book.setValue(key == "pages" ? read + 1 : nil, forKey: key)
        #expect(throws: (any Error).self) { try context.save() }
        context.rollback()
        #expect(book.value(forKey: "pages") as? Int == 500)
    }

    /// News that come in by another object between reading and writing are no reason to overwrite them either.
    @Test(arguments: ["pages", "shelf"]) func anotherObjectsNewsDoNotHideAConflict(_ key: String) throws {
        let two = try Two(.error)
        let other = try LegacyInstance(path: two.library.instance.store.path)
        let context = other.newContext()
        let book = try Two.only("Book", context)
        let author = try Two.only("Author", context)
        let read = try #require(book.value(forKey: "pages") as? Int)
        two.firstBook.setValue(500, forKey: "pages")
        try two.first.save()
        try other.replay()
        #expect(author.value(forKey: "name") as? String == "Eco")
        book.setValue(key == "pages" ? read + 1 : nil, forKey: key)
        #expect(throws: (any Error).self) { try context.save() }
        #expect(try two.row == ["old", 500, 2])
    }

    /// After a conflict the changes are given up, and a change that looks at nothing is made against the store's row,
    /// whether or not its news have come.
    @Test func afterAConflictRollbackIsEnough() throws {
        let two = try Two(.error)
        let other = try LegacyInstance(path: two.library.instance.store.path)
        let context = other.newContext()
        let book = try Two.only("Book", context)
        #expect(book.value(forKey: "title") as? String == "old")
        try two.firstSaves(["pages": 500])
        book.setValue("mine", forKey: "title")
        #expect(throws: (any Error).self) { try context.save() }
        context.rollback()
        book.setValue("mine", forKey: "title")
        try context.save()
        #expect(try two.row == ["mine", 500, 3])
    }

    @Test func theErrorPolicyRefusesAndNamesTheObject() throws {
        let two = try Two(.error)
        try two.firstSaves(["pages": 200])
        two.secondBook.setValue("new", forKey: "title")
        let error = #expect(throws: StoreError.self) { try two.second.save() }
        #expect(error?.code == .versionConflict)
        #expect(error?.objects.map(\.object) == [ObjectReference(entity: "Book", key: 1)])
        #expect(try two.row == ["old", 200, 2])
        #expect(two.second.hasChanges)
        // Out of it: take the other's change in, keep one's own.
        two.second.refresh(two.secondBook, mergeChanges: true)
        try two.second.save()
        #expect(try two.row == ["new", 200, 3])
    }

    @Test(arguments: [NSMergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump])
    func differentPropertiesAreMerged(policy: NSMergePolicy) throws {
        let two = try Two(policy)
        try two.firstSaves(["pages": 200])
        two.secondBook.setValue("new", forKey: "title")
        try two.second.save()
        #expect(try two.row == ["new", 200, 3])
        #expect(two.secondBook.value(forKey: "pages") as? Int == 200)
        #expect(!two.second.hasChanges)
    }

    @Test(arguments: [
        (NSMergePolicy.mergeByPropertyObjectTrump, ["second", 200, 3] as [SQLValue]),
        (.mergeByPropertyStoreTrump, ["first", 200, 2]),
        // Whole, as the second read and changed it.
        (.overwrite, ["second", 100, 3]),
        (.rollback, ["first", 200, 2]),
    ])
    func theSamePropertyIsTheWinners(policy: NSMergePolicy, row: [SQLValue]) throws {
        let two = try Two(policy)
        try two.firstSaves(["title": "first", "pages": 200])
        two.secondBook.setValue("second", forKey: "title")
        try two.second.save()
        #expect(try two.row == row)
        #expect(two.secondBook.value(forKey: "title").map { .text("\($0)") } == row[0])
        #expect(two.secondBook.value(forKey: "pages") as? Int64 == row[1].integerValue)
        #expect(!two.second.hasChanges)
    }

    @Test func toOnesAreProperties() throws {
        let two = try Two(.mergeByPropertyObjectTrump)
        two.firstBook.setValue(nil, forKey: "author")
        try two.first.save()
        two.secondBook.setValue(nil, forKey: "shelf")
        try two.second.save()
        #expect(try two.library.rows("SELECT ZAUTHOR, ZSHELF FROM ZBOOK") == [[.null, .null]])
    }

    @Test(arguments: [NSMergePolicy.error, .rollback, .mergeByPropertyStoreTrump])
    func aDeletedObjectIsNoPlaceForChanges(policy: NSMergePolicy) throws {
        let two = try Two(policy)
        two.first.delete(two.firstBook)
        try two.first.save()
        two.secondBook.setValue("new", forKey: "title")
        if policy == .error {
            let error = #expect(throws: StoreError.self) { try two.second.save() }
            #expect(error?.code == .versionConflict)
        } else {
            try two.second.save()
        }
        #expect(try two.library.rows("SELECT count(*) FROM ZBOOK") == [[0]])
    }

    // MARK: To-many

    /// The versions of the book and of the tag "one".
    private func versions(_ two: Two) throws -> [SQLValue] {
        try two.library.rows("SELECT (SELECT Z_OPT FROM ZBOOK), (SELECT Z_OPT FROM ZTAG WHERE ZNAME = 'one')")[0]
    }

    @Test func aPairOfAManyToManyRaisesTheVersionsOfBothEnds() throws {
        let two = try Two(.error)
        #expect(try versions(two) == [1, 1])
        two.firstBook.setValue(Set([try Two.only("Tag", two.first, "name == 'one'")]), forKey: "tags")
        try two.first.save()
        #expect(try versions(two) == [2, 2])
        let changes = try two.library.rows(
            "SELECT ZENTITYPK, ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID = 2 ORDER BY ZENTITY, ZENTITYPK")
        #expect(changes == [[1, 1], [1, 1]])
    }

    /// The first's change touched no column of the book: the second's is no conflict, whatever it is.
    @Test func membersThatSomebodyElseChangedAreNoConflict() throws {
        let two = try Two(.error)
        // Without a member, as the second knows it.
        #expect((two.secondBook.value(forKey: "tags") as? Set<NSManagedObject>)?.isEmpty == true)
        two.firstBook.setValue(Set([try Two.only("Tag", two.first, "name == 'one'")]), forKey: "tags")
        try two.first.save()
        two.secondBook.setValue("new", forKey: "title")
        two.secondBook.setValue(Set([try Two.only("Tag", two.second, "name == 'two'")]), forKey: "tags")
        try two.second.save()
        #expect(try two.row == ["new", 100, 3])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.predicate = NSPredicate(format: "ANY books.title == 'new'")
        #expect(try two.library.instance.newContext().count(for: request) == 2)
    }

    @Test func theOneSideOfAOneToManyIsTouchedOnly() throws {
        let two = try Two(.error)
        let author = try Two.only("Author", two.second)
        _ = author.value(forKey: "name")
        two.firstBook.setValue(nil, forKey: "author")
        try two.first.save()
        author.setValue("Umberto Eco", forKey: "name")
        try two.second.save()
        #expect(try two.library.rows("SELECT ZNAME, Z_OPT FROM ZPERSON") == [["Umberto Eco", 3]])
        // The many side holds the key: there it is a change of the row.
        two.secondBook.setValue("new", forKey: "title")
        let error = #expect(throws: StoreError.self) { try two.second.save() }
        #expect(error?.code == .versionConflict)
    }
}
