import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A delete takes the pairs of its own object with it, whoever owns the table of pairs.
@Suite struct PairsOfDeletedTests {
    private func book(_ bridge: StoreBridge, _ links: [String: ObjectBatch.Input]) throws -> ObjectReference {
        let owner = bridge.instance(try bridge.unit(of: "Book").owner)
        let made = try owner.save(ObjectBatch([.insert(entity: "Book", name: "new", values: links)]))
        try bridge.replay()
        return try #require(made.objects["new"])
    }

    private func pairs(_ sample: BridgeSample) throws -> Int64? {
        let table = try #require(try sample.rows("SELECT NAME FROM COEXIST_JOIN").first?[0].textValue)
        return try sample.rows("SELECT count(*) FROM \(table)").first?[0].integerValue
    }

    @Test("each end, by its own owner", arguments: StackName.allCases, ["Book", "Tag"])
    func own(stack: StackName, entity: String) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open {
            $0.seed = OwnershipSeed(defaultOwner: stack, entities: [entity == "Tag" ? "Book" : "Tag": stack.other])
            $0.guardMode = .off
        }
        let tag = try bridge.instance(bridge.unit(of: "Tag").owner).insert("Tag", ["name": .string("t")])
        // Through the owner of the pairs, which is the book's.
        let book = try book(bridge, ["tags": .toMany([.existing(tag)])])
        #expect(try pairs(sample) == 1)
        _ = try bridge.instance(stack).save(ObjectBatch([.delete(entity == "Tag" ? tag : book, expecting: nil)]))
        #expect(try pairs(sample) == 0)
        try bridge.replay()
        let left = entity == "Tag" ? book : tag
        for each in StackName.allCases {
            let record = try bridge.instance(each).object(left, isFresh: false)
            #expect(record?.relationships[entity == "Tag" ? "tags" : "books"] == .toMany([]))
        }
        bridge.close()
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
    }

    @Test("a cascade that is forwarded takes the pairs of the other stack's objects", arguments: StackName.allCases)
    func forwarded(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open {
            $0.seed = OwnershipSeed(defaultOwner: stack, entities: ["Book": stack.other, "Tag": stack.other])
            $0.forwardsDeletes = true
            $0.guardMode = .off
        }
        let author = try bridge.instance(stack).insert("Author", ["name": .string("a")])
        let tag = try bridge.instance(stack.other).insert("Tag", ["name": .string("t")])
        _ = try book(bridge, ["author": .toOne(.existing(author)), "tags": .toMany([.existing(tag)])])
        _ = try bridge.instance(stack).save(ObjectBatch([.delete(author, expecting: nil)]))
        #expect(try sample.rows("SELECT count(*) FROM ZBOOK") == [[.integer(0)]])
        #expect(try pairs(sample) == 0)
        bridge.close()
        #expect(try Audit.run(Store.open(sample.path)).violations == [])
    }
}
