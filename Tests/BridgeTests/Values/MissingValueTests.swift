import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import TestKit
import Testing

/// What a class says is always there, and a file has not.
@Suite struct MissingValueTests {
    /// Deleted by the other stack before anybody looked at the object here.
    @Test func anObjectThatWasNeverReadAndIsDeletedElsewhereSaysSo() throws {
        let store = try GadgetStore(gadgets: 4)
        func news(_ instance: some StackInstance) throws {
            let reader = HistoryReader(try StoreConnector.connect(store.path, .reader), store: instance.store)
            try instance.apply(reader.transactions(after: instance.position))
        }
        let legacy = try LegacyInstance(path: store.path)
        let context = legacy.newContext()
        let container = try GadgetStore.container(store.path)
        let models = ModelContext(container)
        let found = try models.fetch(FetchDescriptor<Gadget>()).sorted {
            $0.persistentModelID.id < $1.persistentModelID.id
        }
        try context.performAndWait {
            let objects = try (1...2).map { (key: Int64) in
                context.object(with: try context.objectID(for: ObjectReference(entity: "Gadget", key: key)))
            }
            #expect(objects.map { $0.isFault } == [true, true])
            models.delete(found[0])
            try models.save()
            try news(legacy)
            let error = #expect(throws: StoreError.self) { _ = try objects[0].checkedValue(forKey: "photo") }
            #expect(error?.code == .objectDeleted)
            for key in ["name", "count", "serial", "home", "words", "labels", "mood", "photo", "maker", "spot"] {
                #expect(objects[0].value(forKey: key) == nil, "\(key)")
            }
            #expect(objects[0].isDeleted && !context.hasChanges)
            #expect(objects[1].value(forKey: "count") as? Int64 == 1)

            context.delete(objects[1])
            try context.save()
        }
        try news(container.instance)
        let error = #expect(throws: StoreError.self) { _ = try found[1].checkedValue(\.photo) }
        #expect(error?.code == .objectDeleted)
        _ = (found[1].name, found[1].words, found[1].maker.name, found[1].spot)
        #expect(found[1].isDeleted && !models.hasChanges)
        #expect(found[2].count == 2)
    }

    @Test func nullInAMandatoryColumnReadsAsTheDefault() throws {
        let store = try GadgetStore(gadgets: 2)
        try store.foreign(
            """
            UPDATE ZGADGET SET ZNAME = NULL, ZCOUNT = NULL, ZSERIAL = NULL, ZDAY = NULL, ZHOME = NULL, ZSIZE = NULL,
            ZWILD = NULL, ZWORDS = NULL, ZHEIGHT = NULL, ZNAME1 = NULL, ZMOOD = NULL, ZEVENTS = NULL WHERE Z_PK = 1
            """)
        let (context, found) = try store.gadgets()
        let gadget = found[0]
        #expect(gadget.name == "unnamed")
        #expect(gadget.count == 0)
        #expect(gadget.serial == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        #expect(gadget.day == Date(timeIntervalSinceReferenceDate: 86_400))
        #expect(gadget.home == URL(fileURLWithPath: "/home"))
        #expect(gadget.size == .large)
        #expect(gadget.mood == .wild)
        #expect(gadget.words == [])
        #expect(gadget.otherSpot == Spot(name: "home", height: 1))
        let names = ["count", "day", "home", "mood", "name", "otherSpot", "serial", "size", "words"]
        #expect(gadget.valueFaults.allSatisfy { $0.code == .missingValue })
        #expect(gadget.valueFaults.count == names.count)
        for name in names {
            #expect(gadget.valueFaults.contains { $0.message.contains("Gadget/1.\(name) ") }, "\(name)")
        }
        #expect(!context.hasChanges)

        try store.managed { _, objects in
            let object = try #require(objects.first { $0.objectID.reference?.key == 1 })
            // The model has the defaults that are literals.
            #expect(object.name == "unnamed")
            #expect(object.count == 0)
            #expect(object.words == [])
            #expect(object.mood.isEmpty)
            _ = (object.serial, object.day, object.home, object.labels)
            #expect(object.valueFaults.contains { $0.code == .missingValue && $0.message.contains("Gadget/1.name ") })
            #expect(throws: StoreError.self) { _ = try object.checkedValue(forKey: "serial") }
        }
    }

    @Test(arguments: ["NULL", "99"])
    func aRequiredObjectThatIsNotThereIsStoodInFor(key: String) throws {
        let store = try GadgetStore(gadgets: 2)
        try store.foreign("UPDATE ZGADGET SET ZMAKER = \(key) WHERE Z_PK = 1")
        let (context, found) = try store.gadgets()
        let maker = found[0].maker
        #expect(maker.isDeleted)
        #expect(maker.modelContext == nil)
        #expect(maker.name == "")
        maker.name = "set"
        let code: StoreError.Code = key == "NULL" ? .missingValue : .unknownObject
        #expect(found[0].valueFaults.map(\.code) == [code])
        #expect(found[1].maker.name == "Ada")
        #expect(!context.hasChanges)

        try store.managed { context, objects in
            let object = try #require(objects.first { $0.objectID.reference?.key == 1 })
            let maker = object.maker
            #expect(maker.name == "")
            #expect(object.valueFaults.map(\.code) == [code])
            let error = #expect(throws: StoreError.self) { _ = try maker.checkedValue(forKey: "name") }
            #expect(error?.code == .objectDeleted)
            #expect(throws: StoreError.self) { _ = try object.checkedValue(forKey: "maker") }
            #expect(objects.first { $0.objectID.reference?.key == 2 }?.maker.name == "Ada")
            #expect(!context.hasChanges)
        }
    }

    @Test func aDeletedObjectKeepsItsLastKnownValues() throws {
        let store = try GadgetStore(gadgets: 2)
        let (context, found) = try store.gadgets()
        let (name, serial, day, home) = (found[0].name, found[0].serial, found[0].day, found[0].home)
        context.delete(found[0])
        try context.save()
        #expect(found[0].isDeleted)
        #expect((found[0].name, found[0].count) == (name, 0))
        #expect((found[0].serial, found[0].day, found[0].home) == (serial, day, home))
        let error = #expect(throws: StoreError.self) { _ = try found[0].checkedValue(\.serial) }
        #expect(error?.code == .objectDeleted)
        found[0].name = "ignored"
        #expect(!context.hasChanges)

        try store.managed { context, objects in
            let object = try #require(objects.first)
            let values = (object.name, object.serial, object.day)
            context.delete(object)
            try context.save()
            #expect(object.managedObjectContext == nil)
            #expect((object.name, object.serial, object.day) == values)
            _ = (object.home, object.maker.name, object.words, object.photo)
            let error = #expect(throws: StoreError.self) { _ = try object.checkedValue(forKey: "serial") }
            #expect(error?.code == .objectDeleted)
        }
    }

    @Test func dataWhoseFileIsMissingIsNil() throws {
        let store = try GadgetStore(gadgets: 1)
        let folder = ExternalData(storePath: store.path).folder
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
        }
        let (context, found) = try store.gadgets()
        #expect(found[0].photo == nil)
        #expect(found[0].valueFaults.map(\.code) == [.externalData])
        found[0].count = 5
        try context.save()
        #expect(try store.holds("ZCOUNT = 5 AND length(ZPHOTO) = 38"))
        try store.managed { _, objects in
            #expect(objects[0].photo == nil)
            #expect(objects[0].valueFaults.map(\.code) == [.externalData])
        }
    }
}
