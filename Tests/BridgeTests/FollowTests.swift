import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import Synchronization
import TestKit
import Testing

/// Containers in programs of their own, without a bridge, follow what others commit.
@Suite struct FollowTests {
    private func container(_ path: String, posting: Bool = false) throws -> NSPersistentContainer {
        let container = NSPersistentContainer(
            name: "Library", managedObjectModel: NSManagedObjectModel(SampleModels.library))
        let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: path))
        if posting {
            description.setOption(
                NSNumber(value: true), forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
        }
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    @Test func anObjectReadsWhatAnotherInstanceCommittedWithoutBeingToldTo() throws {
        let sample = try BridgeSample()
        let container = try container(sample.path)
        let other = try ModelInstance(path: sample.path)
        defer { other.close() }
        let tag = try other.insert("Tag", ["name": .string("a")])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        let object = try #require(try container.viewContext.fetch(request).first)
        #expect(object.value(forKey: "name") as? String == "a")
        try other.update(tag, ["name": .string("b")])
        #expect(eventually { object.value(forKey: "name") as? String == "b" })
        #expect(!container.viewContext.hasChanges)
    }

    @Test func anObjectReadsWhatAStrangerWroteWithoutHistory() throws {
        let sample = try BridgeSample()
        let container = try container(sample.path)
        let context = container.viewContext
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue("a", forKey: "name")
        try context.save()
        #expect(try Programs.sqlite3(sample.path, "UPDATE ZTAG SET ZNAME = 'b'").exitCode == 0)
        #expect(eventually { tag.value(forKey: "name") as? String == "b" })
    }

    @Test func theContainerPostsRemoteChangesWithTheTokenThatItsContextsReflect() throws {
        let sample = try BridgeSample()
        let container = try container(sample.path, posting: true)
        let tokens = Mutex<[String]>([])
        let observer = NotificationCenter.default.addObserver(
            forName: .NSPersistentStoreRemoteChange, object: container.persistentStoreCoordinator, queue: nil
        ) { notification in
            let uuid = notification.userInfo?[NSStoreUUIDKey] as? String ?? ""
            let token = notification.userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
            tokens.withLock { $0.append("\(uuid) \(token.map { "\($0)" } ?? "none")") }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        let other = try ModelInstance(path: sample.path)
        defer { other.close() }
        try other.insert("Tag", ["name": .string("a")])
        let uuid = other.store.uuid
        #expect(eventually { tokens.withLock { $0.contains { $0.hasPrefix(uuid) && !$0.hasSuffix("none") } } })
    }
}
