import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

/// Single elements of a composite, set through both stacks.
@Suite struct ElementTests {
    @Test(arguments: StackName.allCases)
    func oneElementIsSetAndTheOthersStay(stack: StackName) throws {
        let sample = try ValueSample()
        let bridge = try sample.open(stack)
        defer { bridge.close() }
        let instance = bridge.instance(stack)
        func set(_ elements: [String: AttributeValue?]) throws -> Int64? {
            let batch = ObjectBatch([
                .update(.init(entity: "Sample", key: 1), values: ["place": .elements(elements)], expecting: nil)
            ])
            return try instance.save(batch).transaction
        }
        _ = try instance.save(
            ObjectBatch([
                .insert(entity: "Sample", name: "a", values: ["place": .elements(["street": .string("Rua")])])
            ]))
        #expect(try sample.holds("ZSTREET = 'Rua' AND ZHEIGHT IS NULL"))
        _ = try set(["height": .double(2)])
        #expect(try sample.holds("ZSTREET = 'Rua' AND ZHEIGHT = 2.0"))
        #expect(try set(["height": .double(2)]) == nil, "the same again is no change")
        _ = try set(["street": AttributeValue?.none])
        #expect(try sample.holds("ZSTREET IS NULL AND ZHEIGHT = 2.0"))
        let error = #expect(throws: StoreError.self) { _ = try set(["town": .string("x")]) }
        #expect(error?.code == .unknownKey && error?.way.contains("street") == true)
        try bridge.replay()
        for other in StackName.allCases {
            let place = try bridge.instance(other).value(.init(entity: "Sample", key: 1), "place")
            #expect(place == .composite(["height": .double(2)]))
        }
        // The whole replaces the whole.
        try instance.update(.init(entity: "Sample", key: 1), ["place": .composite(["street": .string("x")])])
        #expect(try sample.holds("ZSTREET = 'x' AND ZHEIGHT IS NULL"))
    }

    @Test(arguments: StackName.allCases)
    func anElementThatNoAttributeHoldsIsLeftAlone(stack: StackName) throws {
        let sample = try ValueSample()
        do {
            let bridge = try sample.open(stack)
            defer { bridge.close() }
            try bridge.instance(stack).insert("Sample", ["place": .composite(["street": .string("x")])])
        }
        try sample.foreign("UPDATE ZSAMPLE SET ZHEIGHT = 'tall'")
        let bridge = try sample.open(stack)
        defer { bridge.close() }
        let batch = ObjectBatch([
            .update(
                .init(entity: "Sample", key: 1), values: ["place": .elements(["street": .string("y")])], expecting: nil)
        ])
        _ = try bridge.instance(stack).save(batch)
        #expect(try sample.holds("ZSTREET = 'y' AND ZHEIGHT = 'tall'"))
    }
}
