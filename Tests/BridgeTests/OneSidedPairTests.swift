import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// A one-to-one pair of which one side alone holds a key, as real files have them: the other side's delete rule does not see
/// who holds it.
@Suite struct OneSidedPairTests {
    @Test(arguments: StackName.allCases)
    func aDeleteLeavesNoKeyThatLeadsNowhere(stack: StackName) throws {
        let sample = try BridgeSample()
        do {
            let bridge = try sample.open {
                $0.seed = OwnershipSeed(defaultOwner: stack)
                $0.guardMode = .off
            }
            defer { bridge.close() }
            let instance = bridge.instance(stack)
            let member = try instance.insert("Member", ["name": .string("Ada")])
            let values: [String: ObjectBatch.Input] = [
                "number": .attribute(.integer(7)), "member": .toOne(.existing(member)),
            ]
            _ = try instance.save(ObjectBatch([.insert(entity: "Card", name: "card", values: values)]))
        }
        try sample.foreign("UPDATE ZCARD SET ZMEMBER = NULL")
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        let before = try sample.rows("SELECT Z_OPT FROM ZPERSON")
        #expect(before == [[.integer(2)]])
        _ = try bridge.instance(stack).save(ObjectBatch([.delete(.init(entity: "Card", key: 1), expecting: nil)]))
        #expect(try sample.rows("SELECT ZCARD, Z_OPT FROM ZPERSON") == [[.null, .integer(3)]])
        // The card's deletion and the member's update are one transaction.
        #expect(
            try sample.rows("SELECT ZCHANGETYPE FROM ACHANGE WHERE ZTRANSACTIONID = 3 ORDER BY 1")
                == [[.integer(1)], [.integer(2)]])
        let store = bridge.store
        #expect(try bridge.read { try StoreVerifier.verify($0, store: store) } == [])
        try bridge.replay()
        for instance in [bridge.legacy, bridge.model] {
            let member = try instance.object(.init(entity: "Member", key: 1), isFresh: false)
            #expect(member?.relationships["card"] == .toOne(nil))
        }
    }
}
