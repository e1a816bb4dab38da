import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import TestKit
import Testing

/// Values of `@Model` classes in the file, and through managed objects.
@Suite struct TypedValueTests {
    private static let serial = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    private func insert(_ context: ModelContext) throws -> Gadget {
        let gadget = Gadget(count: 3, serial: Self.serial, maker: Maker(name: "Ada"))
        context.insert(gadget)
        return gadget
    }

    private func legacy(_ store: GadgetStore, _ body: (NSManagedObjectContext, NSManagedObject) throws -> Void) throws {
        let context = try LegacyInstance(path: store.path).newContext()
        try context.performAndWait {
            let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Gadget"))
            try body(context, try #require(objects.first))
        }
    }

    @Test func enumerationsStandInTheColumnsOfTheirCases() throws {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        let gadget = try insert(context)
        gadget.mood = .calm
        gadget.size = .small
        gadget.event = .sold(to: "Bob", price: 5)
        try context.save()
        #expect(try store.holds("ZCALM = 'calm' AND ZWILD IS NULL AND ZCALM1 IS NULL AND ZWILD1 IS NULL"))
        #expect(try store.holds("ZSIZE = 'small' AND ZOLDSIZE IS NULL AND ZNONE IS NULL"))
        #expect(try store.holds("typeof(ZSOLD) = 'blob' AND ZSOLD = CAST('{\"price\":5,\"to\":\"Bob\"}' AS BLOB)"))

        gadget.mood = .wild
        gadget.oldMood = .calm
        gadget.event = .none
        try context.save()
        #expect(
            try store.holds("ZCALM IS NULL AND ZWILD = 'wild' AND ZCALM1 = 'calm' AND ZNONE = 'none' AND ZSOLD IS NULL")
        )

        let reopened = ModelContext(try GadgetStore.container(store.path))
        let again = try #require(try reopened.fetch(FetchDescriptor<Gadget>()).first)
        #expect(again.mood == .wild)
        #expect(again.oldMood == .calm)
        #expect(again.size == .small)
        #expect(again.oldSize == nil)
        #expect(again.event == .none)
        try legacy(store) { _, object in
            #expect(object.value(forKey: "mood") as? [String: String] == ["wild": "wild"])
            #expect(object.value(forKey: "size") as? [String: String] == ["size": "small"])
            #expect(object.valueFaults == [])
        }
    }

    @Test func structuresAreFlattenedWithSuffixesWhereNamesClash() throws {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        let gadget = try insert(context)
        gadget.spot = Spot(name: nil, height: 2.5, mood: .wild, events: [.none, .sold(to: "é", price: 1)])
        try context.save()
        // In the order of the attributes: name, otherSpot, spot.
        #expect(try store.holds("ZNAME = 'unnamed' AND ZNAME1 = 'home' AND ZNAME2 IS NULL"))
        #expect(try store.holds("ZHEIGHT IS 1.0 AND ZHEIGHT1 IS 2.5"))
        #expect(try store.holds("CAST(ZMOOD1 AS TEXT) = '{\"wild\":{}}' AND CAST(ZEVENTS AS TEXT) = '[]'"))
        let reopened = ModelContext(try GadgetStore.container(store.path))
        let again = try #require(try reopened.fetch(FetchDescriptor<Gadget>()).first)
        #expect(again.spot == Spot(name: nil, height: 2.5, mood: .wild, events: [.none, .sold(to: "é", price: 1)]))
        #expect(again.otherSpot == Spot(name: "home", height: 1))
        gadget.spot = nil
        try context.save()
        #expect(try store.holds("ZHEIGHT1 IS NULL AND ZMOOD1 IS NULL AND ZEVENTS1 IS NULL"))
    }

    @Test func collectionsAreTheSameListsThroughBothStacks() throws {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        let gadget = try insert(context)
        gadget.words = ["b", "a", "é/\"\u{0}"]
        gadget.numbers = [3, -1, .max]
        gadget.blobs = [Data(), Data([1, 255])]
        gadget.ids = [Self.serial]
        gadget.scores = ["x": 1]
        gadget.labels = ["one"]
        gadget.parts = [Part(name: "p", size: .large, event: .sold(to: "q", price: 2), tags: ["t"])]
        try context.save()
        try legacy(store) { context, object in
            #expect(object.value(forKey: "words") as? [String] == ["b", "a", "é/\"\u{0}"])
            #expect(object.value(forKey: "numbers") as? [Int] == [3, -1, .max])
            #expect(object.value(forKey: "blobs") as? [Data] == [Data(), Data([1, 255])])
            #expect(object.value(forKey: "ids") as? [UUID] == [Self.serial])
            #expect(object.value(forKey: "scores") as? [String: Int] == ["x": 1])
            #expect(object.value(forKey: "labels") as? Set<String> == ["one"])
            let parts = try #require(object.value(forKey: "parts") as? [[String: Any]])
            #expect(parts.first?["name"] as? String == "p")
            // Setting what is there is no change.
            object.setValue(["b", "a", "é/\"\u{0}"], forKey: "words")
            #expect(!context.hasChanges)
            object.setValue(["z", "y"], forKey: "words")
            object.setValue([2, 1], forKey: "numbers")
            object.setValue(Set(["two"]), forKey: "labels")
            object.setValue(nil, forKey: "ids")
            try context.save()
        }
        let reopened = ModelContext(try GadgetStore.container(store.path))
        let again = try #require(try reopened.fetch(FetchDescriptor<Gadget>()).first)
        #expect(again.words == ["z", "y"])
        #expect(again.numbers == [2, 1])
        #expect(again.blobs == [Data(), Data([1, 255])])
        #expect(again.ids == nil)
        #expect(again.labels == ["two"])
        #expect(again.parts == [Part(name: "p", size: .large, event: .sold(to: "q", price: 2), tags: ["t"])])
        #expect(again.valueFaults == [])
    }

    /// A program of managed objects may have the attribute as one of Foundation's arrays.
    @Test(arguments: ["NSArray", "[String]"])
    func aListIsTheSameWhereTheModelsNameItsClassOtherwise(className: String) throws {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        let gadget = try insert(context)
        gadget.words = ["b", "a"]
        try context.save()
        var model = try Schema(Gadget.self).modelDescription()
        for e in model.entities.indices {
            for a in model.entities[e].attributes.indices where model.entities[e].attributes[a].name == "words" {
                model.entities[e].attributes[a].valueClassName = className
            }
        }
        let legacy = try LegacyInstance(path: store.path, model: model).newContext()
        try legacy.performAndWait {
            let object = try #require(try legacy.fetch(NSFetchRequest<NSManagedObject>(entityName: "Gadget")).first)
            #expect(object.value(forKey: "words") as? [String] == ["b", "a"])
            object.setValue(["z", "y"], forKey: "words")
            try legacy.save()
        }
        let reopened = ModelContext(try GadgetStore.container(store.path))
        #expect(try reopened.fetch(FetchDescriptor<Gadget>()).first?.words == ["z", "y"])
    }

    @Test func aListOfTheWrongElementsIsRefused() throws {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        _ = try insert(context)
        try context.save()
        try legacy(store) { context, object in
            object.setValue(["one"], forKey: "numbers")
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .typeMismatch)
        }
        #expect(try store.holds("Z_OPT = 1"))
    }

    @Test func aTransformerStoresWhatIsNotCodable() throws {
        TintTransformer.register()
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        let gadget = try insert(context)
        gadget.tint = Tint(red: 7)
        try context.save()
        #expect(try store.holds("ZTINT = CAST('red 7' AS BLOB)"))
        let reopened = ModelContext(try GadgetStore.container(store.path))
        let again = try #require(try reopened.fetch(FetchDescriptor<Gadget>()).first)
        #expect(again.tint?.red == 7)
        try legacy(store) { context, object in
            #expect((object.value(forKey: "tint") as? Tint)?.red == 7)
            object.setValue(Tint(red: 8), forKey: "tint")
            try context.save()
        }
        #expect(try store.holds("ZTINT = CAST('red 8' AS BLOB)"))
        // What it does not read stays as it is.
        try store.foreign("UPDATE ZGADGET SET ZTINT = x'FF'")
        let wrong = ModelContext(try GadgetStore.container(store.path))
        let object = try #require(try wrong.fetch(FetchDescriptor<Gadget>()).first)
        #expect(object.tint == nil)
        #expect(object.valueFaults.map(\.code) == [.invalidValue])
        object.count = 4
        try wrong.save()
        #expect(try store.holds("ZTINT = x'FF' AND ZCOUNT = 4"))
    }

    @Test func aDecimalThatNoColumnHoldsRefusesTheSave() throws {
        let store = try GadgetStore()
        let context = ModelContext(store.container)
        let gadget = try insert(context)
        gadget.price = Decimal(string: "79228162514264337593543950335")
        #expect(gadget.price == Decimal(string: "79228162514264337593543950335"))
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .precisionLoss)
        #expect(error?.message.contains("price") == true)
        gadget.price = Decimal(string: "0.1")
        try context.save()
        #expect(try store.holds("ZPRICE IS 0.1"))
    }
}
