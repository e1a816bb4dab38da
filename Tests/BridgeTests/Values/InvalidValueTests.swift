import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import TestKit
import Testing

/// Values in a file that the class, or its transformer, cannot make anything of.
@Suite struct InvalidValueTests {
    @Test func anUnknownCaseIsAnErrorOfThatObjectOnly() throws {
        let store = try GadgetStore(gadgets: 2)
        try store.foreign("UPDATE ZGADGET SET ZSIZE = 'zzz', ZWILD = 'zzz', ZOLDSIZE = 'zzz' WHERE Z_PK = 1")
        let (context, found) = try store.gadgets()
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
        let store = try GadgetStore(gadgets: 2)
        try store.foreign("UPDATE ZGADGET SET ZHOME = '' WHERE Z_PK = 1")
        let (context, found) = try store.gadgets()
        #expect(found[0].home == URL(fileURLWithPath: "/home"))
        #expect(found[0].valueFaults.map(\.code) == [.invalidValue])
        let error = #expect(throws: StoreError.self) { _ = try found[0].checkedValue(\.home) }
        #expect(error?.message.contains("Gadget/1.home") == true)
        #expect(try found[0].checkedValue(\.count) == 0)
        #expect(found[1].valueFaults == [])
        #expect(try store.holds("Z_PK <> 1 OR ZHOME = ''"))
        #expect(!context.hasChanges)
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
