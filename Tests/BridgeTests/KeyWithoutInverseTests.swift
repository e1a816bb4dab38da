import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A to-one without an inverse holds a key that no delete rule reaches.
@Suite struct KeyWithoutInverseTests {
    /// `Visit.place` is optional, `Stay.place` is required; neither has an inverse.
    private static let model: ModelDescription = {
        var place = EntityDescription(name: "Place")
        place.attributes = [AttributeDescription(name: "name", type: .string, isOptional: true)]
        var visit = EntityDescription(name: "Visit")
        visit.attributes = [AttributeDescription(name: "note", type: .string, isOptional: true)]
        visit.relationships = [RelationshipDescription(name: "place", destination: "Place")]
        var stay = EntityDescription(name: "Stay")
        stay.relationships = [RelationshipDescription(name: "place", destination: "Place", isOptional: false)]
        return ModelDescription(entities: [place, visit, stay])
    }()

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("s.sqlite")
        try StoreCreator.create(path, model: Self.model)
    }

    private func open(_ stack: StackName, visits: StackName? = nil) throws -> StoreBridge {
        var options = BridgeOptions()
        options.seed = OwnershipSeed(defaultOwner: stack, entities: visits.map { ["Visit": $0] } ?? [:])
        return try StoreBridge(path: path, options: options)
    }

    private func rows(_ sql: String) throws -> [[SQLValue]] { try Connection(path: path, mode: .readOnly).query(sql) }

    @Test(arguments: StackName.allCases)
    func aDeleteClearsItWithHistoryAndVersion(stack: StackName) throws {
        let bridge = try open(stack)
        defer { bridge.close() }
        let instance = bridge.instance(stack)
        let place = try instance.insert("Place", ["name": .string("Belém")])
        let inserted = try instance.save(
            ObjectBatch([
                .insert(entity: "Visit", name: "a", values: ["place": .toOne(.existing(place))]),
                .insert(entity: "Visit", name: "b", values: ["place": .toOne(.existing(place))]),
            ]))
        let visits = try ["a", "b"].map { try #require(inserted.objects[$0]) }
        for visit in visits {
            #expect(try instance.object(visit, isFresh: false)?.relationships["place"] == .toOne(place))
        }

        // One visit changes in the same save, the other is not mentioned.
        let result = try instance.save(
            ObjectBatch([
                .update(visits[0], values: ["note": .attribute(.string("gone"))], expecting: 1),
                .delete(place, expecting: nil),
            ]))
        #expect(
            try rows("SELECT ZPLACE, Z_OPT FROM ZVISIT ORDER BY Z_PK") == [
                [.null, .integer(2)], [.null, .integer(2)],
            ])
        let number = try #require(result.transaction)
        let kinds = try rows("SELECT ZCHANGETYPE, count(*) FROM ACHANGE WHERE ZTRANSACTIONID = \(number) GROUP BY 1")
        #expect(kinds == [[.integer(1), .integer(2)], [.integer(2), .integer(1)]])
        let store = bridge.store
        let change = try bridge.read { try HistoryReader($0, store: store).transactions(after: number - 1) }
            .flatMap(\.changes).first { $0.object == visits[0] }
        #expect(change?.properties == ["note", "place"])

        for visit in visits {
            #expect(try instance.object(visit, isFresh: false)?.version == 2)
            try instance.update(visit, ["note": .string("after")], expecting: 2)
        }
        try bridge.replay()
        for visit in visits { #expect(try bridge.instance(stack.other).object(visit, isFresh: false)?.version == 3) }
        #expect(try bridge.read { try StoreVerifier.verify($0, store: store) }.isEmpty)
    }

    /// Nothing about the destination changes: neither its version nor its history.
    @Test(arguments: StackName.allCases)
    func aDeleteOfWhatHoldsItLeavesTheDestinationAlone(stack: StackName) throws {
        let bridge = try open(stack)
        defer { bridge.close() }
        let instance = bridge.instance(stack)
        let place = try instance.insert("Place", ["name": .string("Belém")])
        let made = try instance.save(
            ObjectBatch([
                .insert(entity: "Visit", name: "v", values: ["place": .toOne(.existing(place))]),
                .insert(entity: "Stay", name: "s", values: ["place": .toOne(.existing(place))]),
            ]))
        let result = try instance.save(
            ObjectBatch(try ["v", "s"].map { .delete(try #require(made.objects[$0]), expecting: nil) }))
        #expect(try rows("SELECT Z_OPT FROM ZPLACE") == [[.integer(1)]])
        let number = try #require(result.transaction)
        #expect(
            try rows("SELECT ZCHANGETYPE, ZENTITY FROM ACHANGE WHERE ZTRANSACTIONID = \(number) ORDER BY 2")
                == [[.integer(2), .integer(2)], [.integer(2), .integer(3)]])
        try instance.update(place, ["name": .string("Ajuda")], expecting: 1)
    }

    /// A key is cleared in a row whose versions have run out: that is told, and the row stays.
    @Test(arguments: StackName.allCases)
    func aVersionThatHasRunOutIsTold(stack: StackName) throws {
        try Connection(path: path, mode: .readWrite).execute(
            """
            INSERT INTO ZPLACE (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
            INSERT INTO ZVISIT (Z_PK, Z_ENT, Z_OPT, ZPLACE) VALUES (1, 3, 9223372036854775807, 1);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 1;
            """)
        let place = ObjectReference(entity: "Place", key: 1)
        let bridge = try open(stack)
        defer { bridge.close() }
        let error = #expect(throws: StoreError.self) {
            try bridge.instance(stack).save(ObjectBatch([.delete(place, expecting: nil)]))
        }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("versions of Visit/1") == true)
        #expect(try rows("SELECT typeof(Z_OPT), ZPLACE FROM ZVISIT") == [[.text("integer"), .integer(1)]])
    }

    @Test(arguments: StackName.allCases)
    func aDeleteOfWhatARequiredOneHoldsIsRefused(stack: StackName) throws {
        let bridge = try open(stack)
        defer { bridge.close() }
        let instance = bridge.instance(stack)
        let place = try instance.insert("Place", ["name": .string("Belém")])
        let stay = try instance.save(
            ObjectBatch([.insert(entity: "Stay", name: "s", values: ["place": .toOne(.existing(place))])]))
        let error = #expect(throws: StoreError.self) {
            try instance.save(ObjectBatch([.delete(place, expecting: nil)]))
        }
        #expect(error?.code == .deleteDenied)
        #expect(error?.objects.map(\.object) == [try #require(stay.objects["s"])])
        #expect(try rows("SELECT count(*) FROM ZPLACE") == [[.integer(1)]])
    }

    @Test(arguments: StackName.allCases)
    func aDeleteThatWouldWriteTheOtherStacksRowIsRefused(stack: StackName) throws {
        let bridge = try open(stack, visits: stack.other)
        defer { bridge.close() }
        let place = try bridge.instance(stack).insert("Place", ["name": .string("Belém")])
        try bridge.replay()
        _ = try bridge.instance(stack.other).save(
            ObjectBatch([.insert(entity: "Visit", name: "v", values: ["place": .toOne(.existing(place))])]))
        let error = #expect(throws: StoreError.self) {
            try bridge.instance(stack).save(ObjectBatch([.delete(place, expecting: nil)]))
        }
        #expect(error?.code == .crossStackDelete)
        #expect(try rows("SELECT ZPLACE FROM ZVISIT") == [[.integer(1)]])
    }
}
