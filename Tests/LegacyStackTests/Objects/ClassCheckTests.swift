import CoreData
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Has properties that no book of the sample model has, as after a change of the model's file.
private final class NewerBook: NSManagedObject {
    @Managed var title: String?
    @Managed var subtitle: String?
    @Managed var edition: Int16
    @Managed var translator: Author
    @Managed var reviews: Set<Book>
    @Managed var awards: NSSet
}

/// Takes the kind of some properties to be another one.
private final class OtherBook: NSManagedObject {
    @Managed var title: Author
    @Managed var author: NSSet
    @Managed var tags: Int16
    @Managed var pages: String
}

/// A class with a property that the model lacks: the model may be a file that the program was not built with, so nothing
/// of this stops the program.
struct ClassCheckTests {
    @Test func aRegisteredClassIsCheckedWhenTheStoreIsOpened() throws {
        let folder = try TemporaryFolder()
        let model = NSManagedObjectModel(SampleModels.library)
        model.register(NewerBook.self, forEntityName: "Book")
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(fileURLWithPath: folder.file("library.sqlite")))
        ]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        let error = try #require(failure as? StoreError)
        #expect(error.code == .schemaMismatch)
        #expect(
            error.message
                == "class NewerBook has @Managed subtitle, but entity Book of the model has no such property")
    }

    @Test func aClassThatFitsIsAccepted() throws {
        let folder = try TemporaryFolder()
        let model = NSManagedObjectModel(SampleModels.library)
        model.register(Book.self, forEntityName: "Book")
        model.register(Author.self, forEntityName: "Author")
        let container = NSPersistentContainer(name: "Library", managedObjectModel: model)
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(fileURLWithPath: folder.file("library.sqlite")))
        ]
        container.loadPersistentStores { _, error in #expect(error == nil) }
    }

    private func book(_ library: Library) throws -> NewerBook {
        library.insert("Book", ["title": "Emma"])
        try library.context.save()
        library.context.reset()
        return try #require(try library.context.fetch(NSFetchRequest<NewerBook>(entityName: "Book")).first)
    }

    @Test func aPropertyThatTheEntityLacksReadsAsEmpty() throws {
        let book = try book(Library())
        #expect(book.title == "Emma" && book.subtitle == nil && book.edition == 0)
        #expect(book.reviews.isEmpty && book.awards.count == 0)
        #expect(book.translator.name == nil && book.translator.isDeleted)
    }

    @Test func anObjectThatWasGivenSuchAValueIsNotSavedWithoutIt() throws {
        let library = try Library()
        let book = try book(library)
        book.title = "Persuasion"
        book.subtitle = "A novel"
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .unknownKey && error?.message.contains("NewerBook has @Managed subtitle") == true)
        #expect(error?.objects.map { "\($0.object)" } == ["Book/1"])
        #expect(try library.rows("SELECT ZTITLE FROM ZBOOK") == [["Emma"]])
        library.context.rollback()
        book.title = "Persuasion"
        try library.context.save()
        #expect(try library.rows("SELECT ZTITLE FROM ZBOOK") == [["Persuasion"]])
    }

    @Test func propertiesOfAnotherKindReadAsEmptyAndRefuseTheSave() throws {
        let library = try Library()
        library.insert("Book", ["title": "Emma", "pages": 5])
        try library.context.save()
        library.context.reset()
        let book = try #require(try library.context.fetch(NSFetchRequest<OtherBook>(entityName: "Book")).first)
        #expect(book.title.isDeleted && book.author.count == 0 && book.tags == 0 && book.pages.isEmpty)
        book.pages = "many"
        #expect(throws: StoreError.self) { try library.context.save() }
    }

    /// The name of the class is no part of the stored form.
    @Test func aStoreOfAnotherClassWithTheSameEntityOpens() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("library.sqlite")
        func model(_ name: String) throws -> ModelDescription {
            var model = SampleModels.library
            let place = try #require(model.entities.firstIndex { $0.name == "Tag" })
            model.entities[place].className = name
            return model
        }
        do {
            let instance = try LegacyInstance(path: StoreCreator.create(path, model: model("OldTag")).path)
            let context = instance.newContext()
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue("x", forKey: "name")
            try context.save()
            instance.close()
        }
        let bytes = FileManager.default.contents(atPath: path)
        let context = try LegacyInstance(path: path, model: model("NewTag")).newContext()
        let tags = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        #expect(tags.map { $0.value(forKey: "name") as? String } == ["x"])
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }
}
