import CoreData
import StoreFormat
import TestKit
import Testing

struct ContainerTests {
    private func container(_ folder: TemporaryFolder) -> NSPersistentContainer {
        let container = NSPersistentContainer(
            name: "Library", managedObjectModel: NSManagedObjectModel(SampleModels.library))
        container.persistentStoreDescriptions = [
            NSPersistentStoreDescription(url: URL(fileURLWithPath: folder.file("library.sqlite")))
        ]
        return container
    }

    @Test func containerMakesOpensAndSavesItsStore() throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        #expect(failure == nil)
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: container.viewContext)
        tag.setValue("classic", forKey: "name")
        try container.viewContext.save()
        let count = try container.newBackgroundContext().count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        #expect(count == 1)
        #expect(tag.entity === container.managedObjectModel.entitiesByName["Tag"])
    }

    @Test func otherContextFollowsWhereItMergesAutomatically() throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        container.loadPersistentStores { _, _ in }
        let view = container.viewContext
        view.automaticallyMergesChangesFromParent = true
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: view)
        tag.setValue("a", forKey: "name")
        try view.save()
        let background = container.newBackgroundContext()
        let id = tag.objectID
        try background.performAndWait {
            background.object(with: id).setValue("b", forKey: "name")
            try background.save()
        }
        #expect(tag.value(forKey: "name") as? String == "b")
    }

    @Test func historyIsReadAndPurged() throws {
        let folder = try TemporaryFolder()
        let container = container(folder)
        container.loadPersistentStores { _, _ in }
        let context = container.viewContext
        context.transactionAuthor = "tester"
        for name in ["a", "b"] {
            NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue(name, forKey: "name")
            try context.save()
        }
        let all = try context.execute(
            NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
        let transactions = try #require(
            (all as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
        #expect(transactions.map(\.author) == ["tester", "tester"])
        #expect(transactions[1].changes?.first?.changeType == .insert)
        let token = transactions[0].token
        let rest =
            try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
            as? NSPersistentHistoryResult
        #expect((rest?.result as? [NSPersistentHistoryTransaction])?.map(\.transactionNumber) == [2])
        try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: transactions[1].token))
        let error = #expect(throws: StoreError.self) {
            try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        }
        #expect(error?.code == .tokenExpired)
    }

    @Test func readOnlyStoreRefusesSavesAndLeavesNothingBehind() throws {
        let library = try Library()
        library.instance.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: library.folder.path).sorted()
        var options = LegacyInstance.Options()
        options.isReadOnly = true
        let instance = try library.other(options)
        let context = instance.newContext()
        #expect(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).isEmpty)
        library.insert("Book", in: context)
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .readOnly)
        instance.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: library.folder.path).sorted() == files)
    }
}
