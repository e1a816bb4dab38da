import CoreData
import Foundation
import StoreFormat
import TestKit
import Testing

/// What a container does where its store cannot be opened, or is taken away: it says so, and leaves what is there.
struct OpenFailureTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("library.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func load(_ isTracking: Bool = true) -> (NSPersistentContainer, StoreError?) {
        let container = NSPersistentContainer(
            name: "Library", managedObjectModel: NSManagedObjectModel(SampleModels.library))
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        if !isTracking { description.setOption(NSNumber(value: false), forKey: NSPersistentHistoryTrackingKey) }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        return (container, failure as? StoreError)
    }

    @Test(arguments: [("", StoreError.Code.empty), ("some text", .notADatabase)])
    func whatIsNoStoreStays(text: String, code: StoreError.Code) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        #expect(load().1?.code == code)
        #expect(FileManager.default.contents(atPath: path) == Data(text.utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["library.sqlite"])
    }

    @Test func aLinkThatLeadsNowhereIsNotFilled() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("nowhere"))
        #expect(load().1?.code == .notFound)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["library.sqlite"])
    }

    @Test func aPipeIsNotWaitedFor() throws {
        #expect(mkfifo(path, 0o600) == 0)
        #expect(load().1?.code == .notADatabase)
    }

    @Test func objectsOfAStoreThatWasReplacedAreNotShown() throws {
        let (container, failure) = load()
        #expect(failure == nil)
        let instance = try container.openedInstance()
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: container.viewContext)
        tag.setValue("old", forKey: "name")
        try container.viewContext.save()
        let reference = ObjectReference(entity: "Tag", key: 1)
        #expect(try instance.object(reference, isFresh: false) != nil)
        let other = folder.file("other.sqlite")
        try StoreCreator.create(other, model: SampleModels.library)
        #expect(rename(other, path) == 0)
        func expectReplaced(_ body: () throws -> Void) {
            let error = #expect(throws: StoreError.self, performing: body)
            #expect(error?.code == .storeReplaced)
        }
        expectReplaced { _ = try instance.object(reference, isFresh: false) }
        expectReplaced {
            _ = try container.newBackgroundContext().fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        }
        expectReplaced {
            tag.setValue("new", forKey: "name")
            try container.viewContext.save()
        }
    }

    @Test func aTrackedStoreWithTrackingOffIsReadOnly() throws {
        try makeHistory()
        let bytes = FileManager.default.contents(atPath: path)
        let (container, failure) = load(false)
        #expect(failure == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.first?.isReadOnly == true)
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: container.viewContext)
            .setValue("new", forKey: "name")
        let error = #expect(throws: StoreError.self) { try container.viewContext.save() }
        #expect(error?.code == .readOnly)
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }

    /// A store with one tag, and a transaction that says so.
    private func makeHistory() throws {
        let instance = try LegacyInstance(path: StoreCreator.create(path, model: SampleModels.library).path)
        let context = instance.newContext()
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue("old", forKey: "name")
        try context.save()
        instance.close()
        // All of it in the file itself, whose bytes are compared.
        #expect(try StoreConnector.connect(path, .writer(.normal)).checkpoint(.truncate).isComplete)
    }

    /// A history that was purged whole tells nobody anything, and a save without history goes past nobody.
    @Test func withAnEmptyHistoryAStoreIsWritableWithTrackingOff() throws {
        try makeHistory()
        let purge = "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; DELETE FROM ATRANSACTIONSTRING"
        try StoreConnector.connect(path, .writer(.normal)).execute(purge)
        let (container, failure) = load(false)
        #expect(failure == nil)
        #expect(container.persistentStoreCoordinator.persistentStores.first?.isReadOnly == false)
        let context = container.viewContext
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue("new", forKey: "name")
        try context.save()
        let rows = """
            SELECT (SELECT group_concat(ZNAME) FROM (SELECT ZNAME FROM ZTAG ORDER BY Z_PK)), (SELECT count(*) FROM ACHANGE)
            """
        #expect(try Programs.sqlite3(path, rows).output == "old,new|0\n")
        // Somebody else begins a history: from then on it is not gone past.
        let other = try LegacyInstance(path: path).newContext()
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: other).setValue("tracked", forKey: "name")
        try other.save()
        NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context).setValue("late", forKey: "name")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .readOnly)
        #expect(try Programs.sqlite3(path, rows).output == "old,new,tracked|1\n")
    }

    @Test func aStoreWhoseEndIsCutOffStays() throws {
        try StoreCreator.create(path, model: SampleModels.library)
        let bytes = try #require(FileManager.default.contents(atPath: path)).prefix(30_000)
        try bytes.write(to: URL(fileURLWithPath: path))
        #expect(load().1?.code == .damaged)
        #expect(FileManager.default.contents(atPath: path) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["library.sqlite"])
    }
}
