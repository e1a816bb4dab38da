import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import TestKit
import Testing

/// What a class says is always there, and a file has not.
@Suite struct MissingValueTests {
    final class ManagedMaker: NSManagedObject {
        @Managed var name: String
    }

    final class ManagedGadget: NSManagedObject {
        @Managed var name: String
        @Managed var count: Int
        @Managed var serial: UUID
        @Managed var day: Date
        @Managed var home: URL
        @Managed var words: [String]
        @Managed var labels: Set<String>
        @Managed var mood: [String: Any]
        @Managed var photo: Data?
        @Managed var maker: ManagedMaker
    }

    private func store(_ count: Int = 2) throws -> GadgetStore {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        for i in 0..<count {
            let gadget = Gadget(count: i, maker: Maker(name: "Ada"))
            gadget.words = ["a"]
            gadget.photo = Data(repeating: 1, count: 200_000)
            context.insert(gadget)
        }
        try context.save()
        return store
    }

    private func managed(_ store: GadgetStore, _ body: (NSManagedObjectContext, [ManagedGadget]) throws -> Void) throws
    {
        let context = try LegacyInstance(path: store.path).newContext()
        try context.performAndWait {
            let request = NSFetchRequest<ManagedGadget>(entityName: "Gadget")
            request.sortDescriptors = [NSSortDescriptor(key: "count", ascending: true)]
            try body(context, try context.fetch(request))
        }
    }

    private func gadgets(_ store: GadgetStore) throws -> (ModelContext, [Gadget]) {
        let context = ModelContext(try GadgetStore.container(store.path))
        return (
            context,
            try context.fetch(FetchDescriptor<Gadget>()).sorted { $0.persistentModelID.id < $1.persistentModelID.id }
        )
    }

    @Test func anUnknownCaseIsAnErrorOfThatObjectOnly() throws {
        let store = try store()
        try store.foreign("UPDATE ZGADGET SET ZSIZE = 'zzz', ZWILD = 'zzz', ZOLDSIZE = 'zzz' WHERE Z_PK = 1")
        let (context, found) = try gadgets(store)
        #expect(found.count == 2)
        #expect(found[1].valueFaults == [])
        #expect(found[0].valueFaults.map(\.code) == [.invalidRawValue, .invalidRawValue, .invalidRawValue])
        let error = #expect(throws: StoreError.self) { _ = try found[0].checkedValue(\.size) }
        #expect(error?.message.contains("Gadget/1.size") == true)
        #expect(error?.message.contains("'zzz'") == true)
        #expect(try found[0].checkedValue(\.count) == 0)
        // The class' default stands in, nil for an optional, and an unrelated save keeps the bytes.
        #expect(found[0].size == .large)
        #expect(found[0].mood == .wild)
        #expect(found[0].oldSize == nil)
        found[0].count = 9
        try context.save()
        #expect(try store.holds("Z_PK <> 1 OR ZSIZE = 'zzz' AND ZWILD = 'zzz' AND ZOLDSIZE = 'zzz' AND ZCOUNT = 9"))
        found[0].size = .small
        found[0].mood = .calm
        found[0].oldSize = .large
        try context.save()
        #expect(found[0].valueFaults == [])
        #expect(
            try store.holds("Z_PK <> 1 OR ZSIZE = 'small' AND ZWILD IS NULL AND ZCALM = 'calm' AND ZOLDSIZE = 'large'"))
    }

    @Test func anUnknownCaseInAStructureIsAnErrorOfThatObjectOnly() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Crates.store")
        func open() throws -> ModelContext {
            ModelContext(
                try ModelContainer(
                    for: Crate.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path))))
        }
        let writing = try open()
        for name in ["a", "b"] {
            writing.insert(Crate(name: name, box: Box(size: .large, count: 7)))
            try writing.save()
        }
        // What a later version of the program may have written; its enumerations in structures are JSON.
        let planted = try Programs.sqlite3(path, #"UPDATE ZCRATE SET ZSIZE = CAST('"zzz"' AS BLOB) WHERE ZNAME = 'a'"#)
        #expect(planted.exitCode == 0, "\(planted.errors)")
        let context = try open()
        let found = try context.fetch(FetchDescriptor<Crate>()).sorted { $0.name < $1.name }
        try #require(found.count == 2)
        #expect(found[0].valueFaults.map(\.code) == [.invalidRawValue])
        let error = #expect(throws: StoreError.self) { _ = try found[0].checkedValue(\.box) }
        #expect(
            error?.message == "Crate/1.box.size holds the text 'zzz', which is no case of Size",
            "\(String(describing: error))")
        #expect(try found[0].checkedValue(\.name) == "a")
        // The class' default stands in, whole.
        #expect(found[0].box == Box(size: .small, count: 1))
        #expect(found[1].valueFaults == [])
        #expect(found[1].box == Box(size: .large, count: 7))
        found[0].name = "c"
        try context.save()
        let rows = "SELECT CAST(ZSIZE AS TEXT), ZCOUNT FROM ZCRATE WHERE ZNAME = 'c'"
        #expect(try Programs.sqlite3(path, rows).output == "\"zzz\"|7\n")
    }

    @Test func anEmptyAddressIsAnErrorOfThatObjectOnly() throws {
        let store = try store()
        try store.foreign("UPDATE ZGADGET SET ZHOME = '' WHERE Z_PK = 1")
        let (context, found) = try gadgets(store)
        #expect(found[0].home == URL(fileURLWithPath: "/home"))
        #expect(found[0].valueFaults.map(\.code) == [.invalidValue])
        let error = #expect(throws: StoreError.self) { _ = try found[0].checkedValue(\.home) }
        #expect(error?.message.contains("Gadget/1.home") == true)
        #expect(try found[0].checkedValue(\.count) == 0)
        #expect(found[1].valueFaults == [])
        #expect(try store.holds("Z_PK <> 1 OR ZHOME = ''"))
        #expect(!context.hasChanges)
    }

    /// Deleted by the other stack before anybody looked at the object here.
    @Test func anObjectThatWasNeverReadAndIsDeletedElsewhereSaysSo() throws {
        let store = try store(4)
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
        let store = try store()
        try store.foreign(
            """
            UPDATE ZGADGET SET ZNAME = NULL, ZCOUNT = NULL, ZSERIAL = NULL, ZDAY = NULL, ZHOME = NULL, ZSIZE = NULL,
            ZWILD = NULL, ZWORDS = NULL, ZHEIGHT = NULL, ZNAME1 = NULL, ZMOOD = NULL, ZEVENTS = NULL WHERE Z_PK = 1
            """)
        let (context, found) = try gadgets(store)
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

        try managed(store) { _, objects in
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
        let store = try store()
        try store.foreign("UPDATE ZGADGET SET ZMAKER = \(key) WHERE Z_PK = 1")
        let (context, found) = try gadgets(store)
        let maker = found[0].maker
        #expect(maker.isDeleted)
        #expect(maker.modelContext == nil)
        #expect(maker.name == "")
        maker.name = "set"
        let code: StoreError.Code = key == "NULL" ? .missingValue : .unknownObject
        #expect(found[0].valueFaults.map(\.code) == [code])
        #expect(found[1].maker.name == "Ada")
        #expect(!context.hasChanges)

        try managed(store) { context, objects in
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
        let store = try store()
        let (context, found) = try gadgets(store)
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

        try managed(store) { context, objects in
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
        let store = try store(1)
        let folder = ExternalData(storePath: store.path).folder
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
        }
        let (context, found) = try gadgets(store)
        #expect(found[0].photo == nil)
        #expect(found[0].valueFaults.map(\.code) == [.externalData])
        found[0].count = 5
        try context.save()
        #expect(try store.holds("ZCOUNT = 5 AND length(ZPHOTO) = 38"))
        try managed(store) { _, objects in
            #expect(objects[0].photo == nil)
            #expect(objects[0].valueFaults.map(\.code) == [.externalData])
        }
    }

    @Test func anUnknownTransformerIsNamedAndItsBytesStay() throws {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        context.insert(Gadget(count: 1, maker: Maker(name: "Ada")))
        try context.save()
        try store.foreign("UPDATE ZGADGET SET ZTINT = x'0102'")
        // Another name than the one that other tests register.
        var model = try Schema(Gadget.self).modelDescription()
        for e in model.entities.indices {
            for a in model.entities[e].attributes.indices where model.entities[e].attributes[a].name == "tint" {
                model.entities[e].attributes[a].valueTransformerName = "NobodyRegistersThis"
            }
        }
        let legacy = try LegacyInstance(path: store.path, model: model).newContext()
        try legacy.performAndWait {
            let object = try #require(try legacy.fetch(NSFetchRequest<NSManagedObject>(entityName: "Gadget")).first)
            let error = #expect(throws: StoreError.self) { _ = try object.checkedValue(forKey: "tint") }
            #expect(error?.code == .transformerUnknown)
            #expect(object.value(forKey: "tint") as? Data == Data([1, 2]))
            object.setValue(2, forKey: "count")
            try legacy.save()
            object.setValue("red", forKey: "tint")
            let refused = #expect(throws: StoreError.self) { try legacy.save() }
            #expect(refused?.code == .transformerUnknown)
        }
        #expect(try store.holds("ZCOUNT = 2 AND ZTINT = x'0102'"))
    }
}

struct Box: Codable, Equatable {
    var size: Size
    var count: Int
}

@Model final class Crate {
    var name: String
    var box: Box = Box(size: .small, count: 1)

    init(name: String, box: Box) {
        self.name = name
        self.box = box
    }
}
