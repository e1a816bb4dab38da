import CoreData
import StoreFormat
import TestKit
import Testing

struct PredicateTests {
    /// Four books, two authors, two tags; the last book has nothing but a title in capitals.
    static func filled() throws -> Library {
        let library = try Library()
        let austen = library.insert("Author", ["name": "Austen"])
        let eco = library.insert("Author", ["name": "Éco"])
        let classic = library.insert("Tag", ["name": "classic"])
        let long = library.insert("Tag", ["name": "long"])
        library.insert(
            "Book", ["title": "Emma", "pages": 474, "author": austen, "rating": 4.5, "tags": Set([classic, long])])
        library.insert(
            "Book", ["title": "Persuasion", "pages": 249, "author": austen, "isLent": true, "tags": Set([classic])])
        library.insert(
            "Book",
            ["title": "Baudolino", "pages": 527, "author": eco, "published": Date(timeIntervalSinceReferenceDate: 0)])
        library.insert("Book", ["title": "ÉTUDE"])
        try library.context.save()
        return library
    }

    static let cases: [(String, [String])] = [
        ("title == 'Emma'", ["Emma"]),
        ("title ==[c] 'emma'", ["Emma"]),
        ("title ==[cd] 'etude'", ["ÉTUDE"]),
        ("title != 'Emma'", ["Baudolino", "Persuasion", "ÉTUDE"]),
        ("rating != 4.5", ["Baudolino", "Persuasion", "ÉTUDE"]),
        ("NOT rating == 4.5", ["Baudolino", "Persuasion", "ÉTUDE"]),
        ("NOT rating > 1", ["Baudolino", "Persuasion", "ÉTUDE"]),
        ("rating == nil", ["Baudolino", "Persuasion", "ÉTUDE"]),
        ("author == nil", ["ÉTUDE"]),
        ("author.name == 'Austen'", ["Emma", "Persuasion"]),
        ("author.name != 'Austen'", ["Baudolino", "ÉTUDE"]),
        ("author.name BEGINSWITH[d] 'E'", ["Baudolino"]),
        ("pages BETWEEN {249, 474}", ["Emma", "Persuasion"]),
        ("pages IN {249, 527}", ["Baudolino", "Persuasion"]),
        ("title IN {'Emma', 'x'} OR pages < 1", ["Emma", "ÉTUDE"]),
        ("title CONTAINS 'su' AND pages > 100", ["Persuasion"]),
        ("title ENDSWITH[c] 'NO'", ["Baudolino"]),
        ("title LIKE 'E*a'", ["Emma"]),
        ("title LIKE[c] '?mm?'", ["Emma"]),
        ("title MATCHES '[A-P].*n'", ["Persuasion"]),
        ("ANY tags.name == 'classic'", ["Emma", "Persuasion"]),
        ("NONE tags.name == 'classic'", ["Baudolino", "ÉTUDE"]),
        ("ALL tags.name == 'classic'", ["Baudolino", "Persuasion", "ÉTUDE"]),
        ("tags.@count == 2", ["Emma"]),
        ("SUBQUERY(tags, $t, $t.name BEGINSWITH 'l').@count > 0", ["Emma"]),
        ("author.books.@count == 1", ["Baudolino"]),
        ("author.books.@sum.pages > 700", ["Emma", "Persuasion"]),
        ("pages + 1 == 250", ["Persuasion"]),
        ("isLent == YES", ["Persuasion"]),
        ("isLent != YES", ["Baudolino", "Emma", "ÉTUDE"]),
        ("published < '2001-06-01'", ["Baudolino"]),
        ("TRUEPREDICATE", ["Baudolino", "Emma", "Persuasion", "ÉTUDE"]),
        ("'mm' IN title", ["Emma"]),
    ]

    @Test(arguments: cases)
    func sqlAndMemoryFindTheSame(_ format: String, _ expected: [String]) throws {
        let library = try Self.filled()
        let predicate = NSPredicate(format: format)
        let found = try library.fetch("Book", predicate).compactMap { $0.value(forKey: "title") as? String }
        #expect(found.sorted() == expected)
        let inMemory = try library.fetch("Book").filter { predicate.evaluate(with: $0) }
        #expect(inMemory.compactMap { $0.value(forKey: "title") as? String }.sorted() == expected)
    }

    @Test func objectsAreComparedByIdentity() throws {
        let library = try Self.filled()
        let austen = try #require(try library.fetch("Author", NSPredicate(format: "name == %@", "Austen")).first)
        #expect(try library.fetch("Book", NSPredicate(format: "author == %@", austen)).count == 2)
        #expect(try library.fetch("Author", NSPredicate(format: "SELF IN %@", [austen])) == [austen])
        #expect(try library.fetch("Author", NSPredicate(format: "SELF == %@", austen.objectID)) == [austen])
        let emma = try #require(try library.fetch("Book", NSPredicate(format: "title == 'Emma'")).first)
        #expect(try library.fetch("Author", NSPredicate(format: "books CONTAINS %@", emma)) == [austen])
    }

    @Test func unknownKeyNamesTheNearest() throws {
        let library = try Library()
        let error = #expect(throws: StoreError.self) { try library.fetch("Book", NSPredicate(format: "titel == 'x'")) }
        #expect(error?.code == .unknownKey)
        #expect(error?.way.contains("title") == true)
    }

    @Test(arguments: [
        "title ==", "title MATCHES '['", "tags == 'x'", "notes.x == 1", "title MATCHES 'a)(b'",
    ])
    func predicateThatCannotBeCompiledIsRefused(_ format: String) throws {
        let library = try Library()
        let error = #expect(throws: StoreError.self) { try library.fetch("Book", NSPredicate(format: format)) }
        #expect(error?.code == .badPredicate)
    }

    @Test func fetchSortsLimitsAndCountsUnsavedChanges() throws {
        let library = try Self.filled()
        let new = library.insert("Book", ["title": "Aardvark", "pages": 1])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
        request.fetchLimit = 2
        request.fetchOffset = 1
        #expect(
            try library.context.fetch(request).compactMap { $0.value(forKey: "title") as? String } == [
                "Baudolino", "Emma",
            ])
        #expect(try library.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 5)
        library.context.delete(new)
        #expect(try library.context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 4)
        let emma = try #require(try library.fetch("Book", NSPredicate(format: "title == 'Emma'")).first)
        emma.setValue("Emma II", forKey: "title")
        #expect(try library.fetch("Book", NSPredicate(format: "title == 'Emma'")).isEmpty)
        #expect(try library.fetch("Book", NSPredicate(format: "title == 'Emma II'")) == [emma])
    }

    @Test func dictionaryAndIdentityResults() throws {
        let library = try Self.filled()
        let request = NSFetchRequest<NSDictionary>(entityName: "Book")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["title", "author.name"]
        request.predicate = NSPredicate(format: "pages == 527")
        let result = try #require(try library.context.fetch(request).first)
        #expect(result["title"] as? String == "Baudolino")
        #expect(result["author.name"] as? String == "Éco")
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Person")
        ids.resultType = .managedObjectIDResultType
        #expect(try library.context.fetch(ids).map(\.schemaName) == ["Author", "Author"])
    }
}

extension NSManagedObjectID {
    fileprivate var schemaName: String { entity.name ?? "" }
}
