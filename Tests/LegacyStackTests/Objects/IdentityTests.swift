import CoreData
import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Identities that are of another store, or older than what is here now.
@Suite struct IdentityTests {
    @Test func anIdentityOutlivesTheContextsObjects() throws {
        let library = try Library()
        let book = library.insert("Book", ["title": "x"])
        try library.context.save()
        let id = book.objectID
        library.context.reset()
        #expect(library.context.registeredObject(for: id) == nil)
        #expect(try library.context.existingObject(with: id).value(forKey: "title") as? String == "x")
        // What was held before belongs to no context any more, and cannot change the store.
        #expect(book.managedObjectContext == nil)
        book.setValue("y", forKey: "title")
        #expect(!library.context.hasChanges)
    }

    @Test func anIdentityOfAnotherStoreIsRefused() throws {
        let (one, two) = (try Library(), try Library())
        let foreign = one.insert("Tag", ["name": "x"])
        try one.context.save()
        two.insert("Tag", ["name": "y"])
        try two.context.save()
        let id = foreign.objectID
        let error = #expect(throws: StoreError.self) { try two.context.existingObject(with: id) }
        #expect(error?.code == .otherStore)
        #expect(two.context.registeredObject(for: id) == nil)
        let empty = two.context.object(with: id)
        #expect(empty.value(forKey: "name") == nil)
        #expect((two.context.faultError as? StoreError)?.code == .otherStore)
        #expect(two.context.objectID(for: id.uriRepresentation()) == nil)
        let fetch = #expect(throws: StoreError.self) {
            try two.fetch("Tag", NSPredicate(format: "SELF == %@", foreign))
        }
        #expect(fetch?.code == .otherStore)
        let batch = #expect(throws: StoreError.self) {
            try two.context.execute(NSBatchDeleteRequest(objectIDs: [id]))
        }
        #expect(batch?.code == .otherStore)
        #expect(try two.rows("SELECT count(*) FROM ZTAG") == [[1]])
    }

    /// The file is made anew under the same name: its identities are not those of the one before.
    @Test func anIdentityOfTheFileBeforeIsRefused() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.sqlite")
        func open() throws -> LegacyInstance {
            try StoreCreator.create(path, model: SampleModels.library)
            return try LegacyInstance(path: path)
        }
        let old = try open()
        let context = old.newContext()
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue("x", forKey: "name")
        try context.save()
        let id = tag.objectID
        old.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let new = try open()
        let error = #expect(throws: StoreError.self) { try new.newContext().existingObject(with: id) }
        #expect(error?.code == .otherStore)
    }

    /// Optional or not, a value that was never read is not the same as none.
    @Test func anObjectWhoseRowCannotBeReadAnyMoreSaysSo() throws {
        let library = try Library()
        library.insert("Book", ["title": "x"])
        try library.context.save()
        let instance = try library.other()
        let context = instance.newContext()
        let reference = ObjectReference(entity: "Book", key: 1)
        let book = context.object(with: try context.objectID(for: reference))
        instance.close()
        library.instance.close()
        var model = SampleModels.library
        let place = try #require(model.entities.firstIndex { $0.name == "Book" })
        model.entities[place].attributes.append(AttributeDescription(name: "blurb", type: .string, isOptional: true))
        try StoreMigrator(library.path, to: model).migrate()
        for key in ["title", "pages", "shelf"] {
            #expect(throws: StoreError.self, "\(key)") { _ = try book.checkedValue(forKey: key) }
        }
        #expect(book.valueFaults.count == 1)
        #expect(book.value(forKey: "title") == nil)
        #expect(context.faultError != nil)
        #expect(book.isFault)
        // Opened with the new model it is there.
        let now = try LegacyInstance(path: library.path).newContext()
        let again = now.object(with: try now.objectID(for: reference))
        #expect(try again.checkedValue(forKey: "title") as? String == "x")
    }

    @Test func anotherInstanceOfTheStoreKnowsTheIdentity() throws {
        let library = try Library()
        let tag = library.insert("Tag", ["name": "x"])
        try library.context.save()
        let other = try library.other().newContext()
        #expect(try other.existingObject(with: tag.objectID).value(forKey: "name") as? String == "x")
        #expect(other.object(with: tag.objectID).managedObjectContext === other)
    }

    @Test func anEntityThatTheModelLacksIsUnknown() throws {
        let library = try Library()
        func image() throws -> [String: String] {
            // Readers leave their marks in the log's index.
            try FileImage.of(library.folder.path).filter { !$0.key.hasSuffix("-shm") }
        }
        let before = try image()
        for request in [NSFetchRequest<NSManagedObject>(entityName: "Bok"), NSFetchRequest<NSManagedObject>()] {
            #expect(throws: StoreError.self) { try library.context.fetch(request) }
            let error = #expect(throws: StoreError.self) { try library.context.count(for: request) }
            #expect(error?.code == .unknownEntity)
        }
        #expect(try image() == before)
        #expect(try library.fetch("Book").isEmpty)
    }

    /// What an instance has cached is of the file that was there: the first read that meets another one drops it.
    @Test func objectsThatWereReadFromAStoreThatWasReplacedAreNotShown() throws {
        let library = try Library()
        library.insert("Tag", ["name": "old"])
        try library.context.save()
        let instance = try library.other()
        let context = instance.newContext()
        let tag = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).first)
        #expect(tag.value(forKey: "name") as? String == "old")
        let other = library.folder.file("other.sqlite")
        try StoreCreator.create(other, model: SampleModels.library)
        #expect(rename(other, library.path) == 0)
        let reads: [() throws -> Void] = [
            { _ = try instance.object(ObjectReference(entity: "Tag", key: 1), isFresh: false) },
            { _ = try tag.checkedValue(forKey: "name") },
        ]
        for body in reads {
            let error = #expect(throws: StoreError.self) { try body() }
            #expect(error?.code == .storeReplaced)
        }
    }
}
