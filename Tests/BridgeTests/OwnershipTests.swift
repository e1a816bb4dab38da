import Bridge
import LegacyStack
import StoreFormat
import TestKit
import Testing

@Suite struct OwnershipTests {
    @Test func aRefusedSaveWritesNothingAndNamesEveryObject() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Tag": .model]) }
        defer { bridge.close() }
        let book = try bridge.legacy.insert("Book", ["title": .string("Dune")])
        let tag = try bridge.model.insert("Tag", ["name": .string("a")])
        let before = try sample.rows("SELECT * FROM Z_PRIMARYKEY") + sample.rows("SELECT * FROM ACHANGE")

        let batch = ObjectBatch([
            .update(book, values: ["title": .attribute(.string("Dune II"))], expecting: nil),
            .update(tag, values: ["name": .attribute(.string("b"))], expecting: nil),
        ])
        let error = #expect(throws: StoreError.self) { try bridge.legacy.save(batch) }
        #expect(error?.code == .ownershipViolation)
        #expect(error?.objects.map(\.object) == [tag])
        #expect(error?.objects.first?.owner == .model)
        #expect(error?.objects.first?.epoch == 1)
        #expect(try sample.rows("SELECT * FROM Z_PRIMARYKEY") + sample.rows("SELECT * FROM ACHANGE") == before)
        #expect(try sample.rows("SELECT ZTITLE, Z_OPT FROM ZBOOK") == [[.text("Dune"), .integer(1)]])
    }

    @Test func anEmbeddedInstanceThatOpenedBeforeAdoptionObeysTheRegister() throws {
        let sample = try BridgeSample()
        let embedded = try LegacyInstance(path: sample.path)
        defer { embedded.close() }
        let tag = try embedded.insert("Tag", ["name": .string("a")])
        let bridge = try sample.open { $0.seed = OwnershipSeed(defaultOwner: .model) }
        defer { bridge.close() }
        let error = #expect(throws: StoreError.self) { try embedded.update(tag, ["name": .string("b")]) }
        #expect(error?.code == .ownershipViolation)
        #expect(try bridge.legacy.value(tag, "name") == .string("a"))
    }

    @Test func theOtherStacksEndOfARelationshipIsOnlyNoted() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Shelf": .model]) }
        defer { bridge.close() }
        let shelf = try bridge.model.insert("Shelf", ["label": .string("A")])
        let book = try bridge.legacy.insert("Book", ["title": .string("Dune")])
        let result = try bridge.legacy.save(
            ObjectBatch([.update(book, values: ["shelf": .toOne(.existing(shelf))], expecting: nil)]))
        // The book's row holds the key; the shelf gets a change row, and keeps its version.
        #expect(try sample.rows("SELECT ZSHELF, Z_OPT FROM ZBOOK") == [[.integer(1), .integer(2)]])
        #expect(try sample.rows("SELECT Z_OPT FROM ZSHELF") == [[.integer(1)]])
        let number = try #require(result.transaction)
        let changes = try sample.rows(
            "SELECT p.Z_NAME, c.ZCHANGETYPE FROM ACHANGE c JOIN Z_PRIMARYKEY p ON p.Z_ENT = c.ZENTITY WHERE ZTRANSACTIONID = \(number) ORDER BY 1"
        )
        #expect(changes == [[.text("Book"), .integer(1)], [.text("Shelf"), .integer(1)]])
        try bridge.replay()
        #expect(try bridge.model.object(shelf, isFresh: false)?.relationships["books"] == .toMany([book]))
    }

    @Test func writingTheOtherStacksKeyColumnIsAViolation() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Shelf": .model]) }
        defer { bridge.close() }
        let shelf = try bridge.model.insert("Shelf", ["label": .string("A")])
        let book = try bridge.legacy.insert("Book", ["title": .string("Dune")])
        try bridge.replay()
        let error = #expect(throws: StoreError.self) {
            try bridge.model.save(
                ObjectBatch([.update(shelf, values: ["books": .toMany([.existing(book)])], expecting: nil)]))
        }
        #expect(error?.code == .ownershipViolation)
        #expect(error?.objects.map(\.object) == [book])
    }

    @Test func anExpectedVersionIsCheckedAlsoWhereTheValueIsTheSameAlready() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Tag": .model]) }
        defer { bridge.close() }
        for (instance, entity, key) in [(bridge.legacy, "Shelf", "label"), (bridge.model, "Tag", "name")] {
            let object = try instance.insert(entity, [key: .string("a")])
            try instance.update(object, [key: .string("b")], expecting: 1)
            // Somebody else who read version 1 wants the same value: to tell him that all is well would lose one change.
            let error = #expect(throws: StoreError.self) {
                try instance.update(object, [key: .string("b")], expecting: 1)
            }
            #expect(error?.code == .versionConflict)
            #expect(try instance.update(object, [key: .string("b")], expecting: 2).transaction == nil)
        }
    }
}
