import CoreData
import StoreFormat
import TestKit
import Testing

/// Has a key of its own beside those of its entity.
private final class ShoutingBook: NSManagedObject {
    var marks: [String: Int] = [:]

    override func value(forUndefinedKey key: String) -> Any? {
        key == "shout" ? (value(forKey: "title") as? String)?.uppercased() : super.value(forUndefinedKey: key)
    }

    override func setValue(_ value: Any?, forUndefinedKey key: String) {
        if key == "mark" { marks[key] = value as? Int } else { super.setValue(value, forUndefinedKey: key) }
    }
}

/// Keys that an entity does not have: they come from files and messages too, so none of them stops the program.
struct UnknownKeyTests {
    @Test func anUnknownKeyReadsAsNothingAndTheErrorIsTold() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        #expect(book.value(forKey: "titl") == nil)
        let fault = library.context.faultError as? StoreError
        #expect(fault?.code == .unknownKey && fault?.message == "Book has no property titl")
        #expect(fault?.way == "did you mean title?")
        #expect(book.primitiveValue(forKey: "titl") == nil && book.value(forKeyPath: "author.titl") == nil)
        #expect(
            book.dictionaryWithValues(forKeys: ["title", "titl"]) as NSDictionary == [
                "title": "Emma", "titl": NSNull(),
            ])
        #expect { try book.checkedValue(forKey: "titl") } throws: { ($0 as? StoreError)?.code == .unknownKey }
        // Nothing was set, so nothing is in the way of a save.
        try library.context.save()
    }

    @Test(arguments: ["setValue", "setPrimitiveValue", "setValuesForKeys", "addObject", "removeObject"])
    func anObjectThatWasGivenAValueForAnUnknownKeyIsNotSaved(setter: String) throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        try library.context.save()
        book.setValue("Persuasion", forKey: "title")
        switch setter {
        case "setValue": book.setValue(1, forKey: "titl")
        case "setPrimitiveValue": book.setPrimitiveValue(1, forKey: "titl")
        case "setValuesForKeys": book.setValuesForKeys(["titl": 1])
        case "addObject": book.addObject(library.insert("Tag", ["name": "x"]), toRelationship: "titl")
        default: book.removeObject(library.insert("Tag", ["name": "x"]), fromRelationship: "titl")
        }
        #expect(book.valueFaults.map(\.code) == [.unknownKey])
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .unknownKey && error?.message == "Book has no property titl")
        #expect(error?.objects.map { "\($0.object)" } == ["Book/1"])
        #expect(try library.rows("SELECT ZTITLE FROM ZBOOK") == [["Emma"]])
        library.context.rollback()
        book.setValue("Persuasion", forKey: "title")
        try library.context.save()
        #expect(try library.rows("SELECT ZTITLE FROM ZBOOK") == [["Persuasion"]])
    }

    @Test func aPropertyThatIsNoToManyIsNotAddedTo() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "Emma"])
        book.addObject(library.insert("Tag", ["name": "x"]), toRelationship: "title")
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .typeMismatch && error?.message == "Book.title is no relationship to many objects")
    }

    @Test func aClassMayHaveKeysOfItsOwn() throws {
        let library = try Library()
        library.instance.managedObjectModel.register(ShoutingBook.self, forEntityName: "Book")
        let book = try #require(library.insert("Book", ["title": "Emma"]) as? ShoutingBook)
        #expect(book.value(forKey: "shout") as? String == "EMMA")
        book.setValue(3, forKey: "mark")
        #expect(book.marks == ["mark": 3])
        try library.context.save()
        book.setValue(3, forKey: "other")
        #expect(throws: StoreError.self) { try library.context.save() }
    }

    @Test func anObjectWithoutAContextTakesUnknownKeysToo() throws {
        let library = try Library()
        let entity = try #require(NSEntityDescription.entity(forEntityName: "Book", in: library.context))
        let book = NSManagedObject(entity: entity, insertInto: nil)
        #expect(book.value(forKey: "titl") == nil)
        book.setValue(1, forKey: "titl")
        library.context.insert(book)
        #expect { try library.context.save() } throws: { ($0 as? StoreError)?.code == .unknownKey }
    }
}
