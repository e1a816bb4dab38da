import Bridge
import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A to-one key that leads to no row, as real files have them: what is not there stands in nobody's way, and is not written.
@Suite struct DanglingKeyTests {
    /// `Thing.box` and `Thing.lid` lead nowhere in every store of these tests; `Box.things` is a to-many, `Lid.thing` a to-one.
    private static func model(_ rule: DeleteRule) -> ModelDescription {
        var box = EntityDescription(name: "Box")
        box.relationships = [
            RelationshipDescription(name: "things", destination: "Thing", inverse: "box", maxCount: 0, isOrdered: true)
        ]
        var lid = EntityDescription(name: "Lid")
        lid.relationships = [RelationshipDescription(name: "thing", destination: "Thing", inverse: "lid")]
        var thing = EntityDescription(name: "Thing")
        thing.relationships = [
            RelationshipDescription(name: "box", destination: "Box", inverse: "things", deleteRule: rule),
            RelationshipDescription(name: "lid", destination: "Lid", inverse: "thing", deleteRule: rule),
        ]
        return ModelDescription(entities: [box, lid, thing])
    }

    private static func object(_ entity: String, _ key: Int64) -> ObjectReference { .init(entity: entity, key: key) }
    private static let thing = object("Thing", 1)

    enum Repair: CaseIterable {
        case another, nothing, otherSide, deletion

        var operations: [ObjectBatch.Operation] {
            let ends: [(String, ObjectBatch.Input)] = [
                ("box", .toOne(.existing(object("Box", 2)))), ("lid", .toOne(.existing(object("Lid", 2)))),
            ]
            let thing = DanglingKeyTests.thing
            switch self {
            case .another:
                return [.update(thing, values: Dictionary(uniqueKeysWithValues: ends), expecting: nil)]
            case .nothing:
                return [.update(thing, values: ["box": .toOne(nil), "lid": .toOne(nil)], expecting: nil)]
            case .otherSide:
                return [
                    .update(object("Box", 2), values: ["things": .toMany([.existing(thing)])], expecting: nil),
                    .update(object("Lid", 2), values: ["thing": .toOne(.existing(thing))], expecting: nil),
                ]
            case .deletion: return [.delete(thing, expecting: nil)]
            }
        }

        /// `ZBOX` and `ZLID` of what is left.
        var rows: [[SQLValue]] {
            switch self {
            case .another, .otherSide: [[.integer(2), .integer(2)]]
            case .nothing: [[.null, .null]]
            case .deletion: []
            }
        }
    }

    private func open(_ path: String, _ stack: StackName) throws -> StoreBridge {
        var options = BridgeOptions()
        options.seed = OwnershipSeed(defaultOwner: stack)
        options.guardMode = .off
        return try StoreBridge(path: path, options: options)
    }

    @Test(arguments: StackName.allCases, Repair.allCases)
    func isRepaired(stack: StackName, repair: Repair) throws {
        for rule in [DeleteRule.nullify, .cascade, .deny] {
            let folder = try TemporaryFolder()
            let path = folder.file("s.sqlite")
            try StoreCreator.create(path, model: Self.model(rule))
            func rows(_ sql: String) throws -> [[SQLValue]] {
                try Connection(path: path, mode: .readOnly).query(sql)
            }
            do {
                let bridge = try open(path, stack)
                defer { bridge.close() }
                _ = try bridge.instance(stack).save(
                    ObjectBatch(
                        ["Box", "Box", "Lid", "Lid"].enumerated().map { i, entity in
                            .insert(entity: entity, name: "\(i)", values: [:])
                        }))
                let ends: [String: ObjectBatch.Input] = [
                    "box": .toOne(.existing(Self.object("Box", 1))), "lid": .toOne(.existing(Self.object("Lid", 1))),
                ]
                _ = try bridge.instance(stack).save(
                    ObjectBatch([.insert(entity: "Thing", name: "thing", values: ends)]))
            }
            try Connection(path: path, mode: .readWrite).execute(
                "DELETE FROM ZBOX WHERE Z_PK = 1; DELETE FROM ZLID WHERE Z_PK = 1")
            #expect(try rows("SELECT ZBOX, ZLID FROM ZTHING") == [[.integer(1), .integer(1)]])
            let bridge = try open(path, stack)
            defer { bridge.close() }
            let result = try bridge.instance(stack).save(ObjectBatch(repair.operations))
            let number = try #require(result.transaction)
            #expect(try rows("SELECT ZBOX, ZLID FROM ZTHING") == repair.rows)
            // The rows that are not there got no change in history: entities 1 and 2 are Box and Lid.
            #expect(
                try rows(
                    "SELECT count(*) FROM ACHANGE WHERE ZTRANSACTIONID = \(number) AND ZENTITY < 3 AND ZENTITYPK = 1")
                    == [[.integer(0)]])
            let store = bridge.store
            #expect(
                try bridge.read { try StoreVerifier.verify($0, store: store) }.filter { $0.rule == "dangling" } == [])
            try bridge.replay()
            for instance in [bridge.legacy, bridge.model] where repair == .another || repair == .otherSide {
                let thing = try instance.object(Self.thing, isFresh: false)
                #expect(thing?.relationships["box"] == .toOne(Self.object("Box", 2)))
                let box = try instance.object(Self.object("Box", 2), isFresh: false)
                #expect(box?.relationships["things"] == .toMany([Self.thing]))
            }
        }
    }
}
