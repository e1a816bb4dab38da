import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// The order of a many-to-many within one entity. Names that end in digits look like a clash's suffix, and are none.
@Suite struct JoinOrderTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("s.sqlite")
    }

    /// A store of three nodes without relations.
    private func makeNodes(_ stack: StackName, _ ordered: String, inverse: String, inverseIsOrdered: Bool) throws {
        let relationships = [
            Short.toMany(ordered, "Node", inverse: inverse, ordered: true),
            Short.toMany(inverse, "Node", inverse: ordered, ordered: inverseIsOrdered),
        ]
        try StoreCreator.create(path, model: Short.model(Short.entity("Node", [], relationships)))
        for i in 1...3 { try save(stack, .insert(entity: "Node", name: "\(i)", values: [:])) }
    }

    private func node(_ key: Int64) -> ObjectReference { ObjectReference(entity: "Node", key: key) }
    private func nodes(_ keys: [Int64]) -> ObjectBatch.Input { .toMany(keys.map { .existing(node($0)) }) }

    private func save(_ stack: StackName, _ operations: ObjectBatch.Operation...) throws {
        let instance: any StackInstance =
            stack == .legacy ? try LegacyInstance(path: path) : try ModelInstance(path: path)
        defer { instance.close() }
        _ = try instance.save(ObjectBatch(operations))
    }

    /// A relationship's members as both stacks have them.
    private func members(_ key: Int64, _ name: String) throws -> [Int64] {
        let legacy = try LegacyInstance(path: path)
        defer { legacy.close() }
        let model = try ModelInstance(path: path)
        defer { model.close() }
        let values = try [legacy as any StackInstance, model].map {
            try $0.object(node(key), isFresh: true)?.relationships[name]
        }
        #expect(values[0] == values[1])
        guard case .toMany(let members)? = values[0] else { return [] }
        return members.map(\.key)
    }

    private func expectSound() throws {
        let connection = try Connection(path: path, mode: .readOnly)
        #expect(try StoreVerifier.verify(connection, store: Store.open(path)).isEmpty)
    }

    @Test(arguments: StackName.allCases, [["link1", "link2"], ["link", "link1"], ["to", "from"]])
    func eachEndKeepsItsOwn(stack: StackName, names: [String]) throws {
        let (a, b) = (names[0], names[1])
        try makeNodes(stack, a, inverse: b, inverseIsOrdered: true)
        try save(stack, .insert(entity: "Node", name: "4", values: [a: nodes([1, 2, 3])]))
        try save(stack, .insert(entity: "Node", name: "5", values: [a: nodes([3, 2, 1])]))
        for (key, order) in [(1, [5, 4]), (2, [4, 5]), (3, [5, 4])] as [(Int64, [Int64])] {
            try save(stack, .update(node(key), values: [b: nodes(order)], expecting: nil))
        }
        #expect(try [4, 5].map { try members($0, a) } == [[1, 2, 3], [3, 2, 1]])
        #expect(try [1, 2, 3].map { try members($0, b) } == [[5, 4], [4, 5], [5, 4]])
        // A column Z_1<REL> holds the destinations of REL, and Z_FOK_1<REL> is their order (Format, section 3.4).
        let (one, two) = (a.uppercased(), b.uppercased())
        let table = "Z_1\(max(one, two))"
        func inFile(_ rel: String, _ back: String, of key: Int) throws -> [SQLValue] {
            try Connection(path: path, mode: .readOnly).query(
                "SELECT Z_1\(rel) FROM \(table) WHERE Z_1\(back) = \(key) ORDER BY Z_FOK_1\(rel)"
            ).map { $0[0] }
        }
        #expect(try inFile(one, two, of: 5) == [.integer(3), .integer(2), .integer(1)])
        #expect(try inFile(two, one, of: 1) == [.integer(5), .integer(4)])
        try expectSound()
    }

    /// With one side ordered there is one column, which is that side's.
    @Test(arguments: StackName.allCases, [["users2", "users3"], ["users1", "users"], ["users", "users1"]])
    func theSideWithoutOrderHasNone(stack: StackName, names: [String]) throws {
        let (ordered, other) = (names[0], names[1])
        try makeNodes(stack, ordered, inverse: other, inverseIsOrdered: false)
        try save(stack, .insert(entity: "Node", name: "4", values: [ordered: nodes([2, 1])]))
        try save(stack, .insert(entity: "Node", name: "5", values: [ordered: nodes([1, 2])]))
        try save(stack, .update(node(3), values: [other: nodes([5, 4])], expecting: nil))
        #expect(try members(4, ordered) == [2, 1, 3])
        #expect(try members(5, ordered) == [1, 2, 3])
        #expect(try [1, 2, 3].map { try members($0, other).sorted() } == [[4, 5], [4, 5], [4, 5]])
        try expectSound()
    }

    /// The order of pairs is their owner's, as the pairs are.
    @Test(arguments: StackName.allCases) func whoDoesNotOwnThePairsDoesNotReorderThem(stack: StackName) throws {
        let model = Short.model(
            Short.entity(
                "List", [Short.attribute("name")], [Short.toMany("items", "Item", inverse: "lists", ordered: true)]),
            Short.entity("Item", [Short.attribute("name")], [Short.toMany("lists", "List", inverse: "items")]))
        try StoreCreator.create(path, model: model)
        var options = BridgeOptions()
        options.seed = OwnershipSeed(
            entities: ["List": stack, "Item": stack.other], relationships: ["List.items": stack.other])
        let bridge = try StoreBridge(path: path, options: options)
        defer { bridge.close() }
        let list = try bridge.instance(stack).insert("List", ["name": .string("l")])
        let items = try ["a", "b"].map { name in
            let made = try bridge.instance(stack.other).save(
                ObjectBatch([
                    .insert(
                        entity: "Item", name: "i",
                        values: ["name": .attribute(.string(name)), "lists": .toMany([.existing(list)])])
                ]))
            return try #require(made.objects["i"])
        }
        try bridge.replay()
        let order = { try bridge.instance(stack).object(list, isFresh: true)?.relationships["items"] }
        let before = try order()
        #expect(before == .toMany(items) || before == .toMany(items.reversed()))
        let turned: [ObjectReference] = before == .toMany(items) ? items.reversed() : items
        let error = #expect(throws: StoreError.self) {
            try bridge.instance(stack).save(
                ObjectBatch([.update(list, values: ["items": .toMany(turned.map { .existing($0) })], expecting: nil)]))
        }
        #expect(error?.code == .ownershipViolation)
        #expect(try order() == before)
    }
}
