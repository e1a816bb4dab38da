import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import TestKit
import Testing

/// Data in files beside the store, through both stacks.
@Suite struct ExternalValueTests {
    private static func data(_ count: Int) -> Data { Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }) }

    @Test(arguments: StackName.allCases)
    func unrelatedSavesLeaveTheFileAlone(writer: StackName) throws {
        let sample = try ValueSample()
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        let blob = Self.data(200_000)
        let object = try bridge.instance(writer).insert("Sample", ["external": .data(blob), "medium": .integer(0)])
        let files = sample.files
        #expect(files.count == 1)
        for i in 1...10 {
            try bridge.instance(writer).update(object, ["medium": .integer(Int64(i)), "external": .data(blob)])
            try bridge.replay()
            for stack in StackName.allCases {
                #expect(try bridge.instance(stack).value(object, "external") == .data(blob))
            }
            #expect(sample.files == files)
        }
        #expect(try sample.holds("Z_OPT = 11 AND ZMEDIUM = 10"))
    }

    @Test func typedObjectsLeaveTheFileAlone() throws {
        let store = try GadgetStore()
        let folder = ExternalData(storePath: store.path).folder
        func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder) }
        let context = ModelContext(store.container)
        let gadget = Gadget(count: 0, maker: Maker(name: "Ada"))
        let blob = Self.data(200_000)
        gadget.photo = blob
        context.insert(gadget)
        try context.save()
        let before = try files()
        #expect(before.count == 1)
        for i in 1...10 {
            gadget.count = i
            if i.isMultiple(of: 2) { gadget.photo = blob }
            try context.save()
            #expect(gadget.photo == blob)
            #expect(try files() == before)
        }
        gadget.photo = Self.data(300_000)
        context.rollback()
        #expect(gadget.photo == blob)
        #expect(try files() == before)
        let legacy = try LegacyInstance(path: store.path).newContext()
        try legacy.performAndWait {
            let object = try #require(try legacy.fetch(NSFetchRequest<NSManagedObject>(entityName: "Gadget")).first)
            for i in 11...20 {
                object.setValue(i, forKey: "count")
                object.setValue(blob, forKey: "photo")
                try legacy.save()
                #expect(object.value(forKey: "photo") as? Data == blob)
                #expect(try files() == before)
            }
            object.setValue(Self.data(300_000), forKey: "photo")
            legacy.rollback()
            #expect(object.value(forKey: "photo") as? Data == blob)
            #expect(try files() == before)
        }
    }

    @Test(arguments: StackName.allCases)
    func deletedObjectsTakeTheirFilesAlong(writer: StackName) throws {
        let sample = try ValueSample()
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        let objects = try [1_000, 100_000, 132_000, 2_000_000, 200_000].map {
            try bridge.instance(writer).insert("Sample", ["external": .data(Self.data($0))])
        }
        #expect(sample.files.count == 3)
        _ = try bridge.instance(writer).save(ObjectBatch(objects.map { .delete($0, expecting: nil) }))
        #expect(sample.files == [])
    }

    @Test(arguments: StackName.allCases)
    func aSaveThatFailsLeavesNeitherFileNorRow(writer: StackName) throws {
        let sample = try ValueSample()
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        let object = try bridge.instance(writer).insert("Sample", ["external": .data(Self.data(200_000))])
        let other = try bridge.instance(writer).insert("Sample", ["medium": .integer(1)])
        let files = sample.files
        let large = ObjectBatch.Input.attribute(.data(Self.data(300_000)))
        let batch = ObjectBatch([
            .insert(entity: "Sample", name: "new", values: ["external": large]),
            .update(object, values: ["external": large], expecting: nil),
            .update(other, values: ["medium": .attribute(.integer(2))], expecting: 99),
        ])
        let error = #expect(throws: StoreError.self) { _ = try bridge.instance(writer).save(batch) }
        #expect(error?.code == .versionConflict)
        #expect(sample.files == files)
        #expect(try sample.holds("Z_OPT = 1"))
        #expect(try Programs.sqlite3(sample.path, "SELECT count(*) FROM ZSAMPLE").output == "2\n")
        #expect(try bridge.instance(writer).value(object, "external") == .data(Self.data(200_000)))
    }
}
