import Bridge
import StoreFormat
import TestKit
import Testing

/// What a refusal says where a table of pairs is the other stack's.
@Suite struct PairRefusalTests {
    @Test(arguments: [StackName.legacy, .model])
    func eachObjectIsNamedOnceAndANewOneAsNew(loser: StackName) throws {
        let (entity, relationship, other) = loser == .legacy ? ("Book", "tags", "Tag") : ("Tag", "books", "Book")
        let sample = try BridgeSample()
        let bridge = try sample.open {
            $0.seed = OwnershipSeed(
                entities: ["Tag": .model], relationships: ["\(entity).\(relationship)": loser.other])
        }
        defer { bridge.close() }
        let (mine, yours) = (bridge.instance(loser), bridge.instance(loser.other))
        func values(_ entity: String, _ name: String) -> [String: AttributeValue] {
            [entity == "Tag" ? "name" : "title": .string(name)]
        }
        let own = try mine.insert(entity, values(entity, "own"))
        let others = try ["a", "b", "c"].map { try yours.insert(other, values(other, $0)) }
        try bridge.replay()
        let targets = ObjectBatch.Input.toMany(others.map { .existing($0) })
        let update = #expect(throws: StoreError.self) {
            _ = try mine.save(ObjectBatch([.update(own, values: [relationship: targets], expecting: nil)]))
        }
        #expect(update?.code == .ownershipViolation)
        #expect(update?.objects.map(\.object) == [own])
        #expect(update?.message.components(separatedBy: "\(own)").count == 2, "\(update?.message ?? "")")
        var new = values(entity, "new").mapValues { ObjectBatch.Input.attribute($0) }
        new[relationship] = targets
        let insert = #expect(throws: StoreError.self) {
            _ = try mine.save(ObjectBatch([.insert(entity: entity, name: "new", values: new)]))
        }
        #expect(insert?.message.contains("a new \(entity)") == true, "\(insert?.message ?? "")")
        #expect(insert?.message.contains("\(entity)/2") == false)
        #expect(insert?.objects.count == 1)
        // The name in the way out is one that hands over the pairs.
        let unit = try #require(try bridge.unit(of: other))
        let named = try #require(insert?.way.split(separator: "handover ").last?.split(separator: " ").first)
        #expect(unit.entities.contains(String(named)), "\(insert?.way ?? "")")
    }
}
