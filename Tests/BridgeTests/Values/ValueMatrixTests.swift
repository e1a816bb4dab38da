import Bridge
import Foundation
import LegacyStack
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Every attribute type, through both stacks, both ways, and in the file.
@Suite struct ValueMatrixTests {
    @Test(arguments: StackName.allCases)
    func whatOneStackWritesTheOtherReads(writer: StackName) throws {
        let sample = try ValueSample()
        var objects: [(ObjectReference, ValueCase)] = []
        do {
            let bridge = try sample.open(writer)
            defer { bridge.close() }
            for value in ValueCases.all {
                let object = try bridge.instance(writer).insert("Sample", [value.attribute: value.value])
                objects.append((object, value))
                try bridge.replay()
                for stack in StackName.allCases {
                    #expect(try bridge.instance(stack).value(object, value.attribute) == value.value, "\(value.name)")
                }
            }
        }
        // Once more from the file alone, and every other attribute is empty.
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        for (object, value) in objects {
            #expect(try sample.holds(value.sql, of: object), "\(value.name)")
            for stack in StackName.allCases {
                let record = try #require(try bridge.instance(stack).object(object, isFresh: true))
                #expect(record.values[value.attribute] == value.value, "\(value.name)")
                #expect(record.values.filter { $0.value != nil }.map(\.key) == [value.attribute], "\(value.name)")
            }
        }
    }

    @Test(arguments: StackName.allCases)
    func anUpdateWritesTheSameAsAnInsertion(writer: StackName) throws {
        let sample = try ValueSample()
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        for value in ValueCases.all {
            let object = try bridge.instance(writer).insert("Sample", ["medium": .integer(1)])
            try bridge.replay()
            _ = try bridge.instance(writer.other).object(object, isFresh: false)
            try bridge.instance(writer).update(object, [value.attribute: value.value])
            try bridge.replay()
            for stack in StackName.allCases {
                #expect(try bridge.instance(stack).value(object, value.attribute) == value.value, "\(value.name)")
            }
            #expect(try sample.holds(value.sql, of: object), "\(value.name)")
            // The same value again is no change.
            let again = try bridge.instance(writer).update(object, [value.attribute: value.value])
            #expect(again.transaction == nil, "\(value.name)")
            // And every value can be taken away.
            let nothing = ObjectBatch([.update(object, values: [value.attribute: .attribute(nil)], expecting: nil)])
            _ = try bridge.instance(writer).save(nothing)
            try bridge.replay()
            for stack in StackName.allCases {
                #expect(try bridge.instance(stack).value(object, value.attribute) == nil, "\(value.name)")
            }
            #expect(sample.files == [], "\(value.name)")
        }
    }

    @Test(arguments: StackName.allCases)
    func aValueThatNoColumnHoldsIsRefused(writer: StackName) throws {
        let sample = try ValueSample()
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        let object = try bridge.instance(writer).insert("Sample", ["medium": .integer(1)])
        for (attribute, value, code) in ValueCases.refused {
            for change in [
                { _ = try bridge.instance(writer).insert("Sample", [attribute: value]) },
                { _ = try bridge.instance(writer).update(object, [attribute: value]) },
            ] as [() throws -> Void] {
                let error = #expect(throws: StoreError.self, "\(attribute) \(value)") { try change() }
                #expect(error?.code == code, "\(attribute) \(value)")
                #expect(error?.message.contains(attribute) == true, "\(attribute) \(value)")
            }
        }
        #expect(try sample.holds("Z_OPT = 1 AND ZSMALL IS NULL AND ZAMOUNT IS NULL AND ZTEXT IS NULL"))
    }

    /// Canonically equal texts are different texts.
    @Test(arguments: StackName.allCases)
    func composingATextAnewIsAChange(writer: StackName) throws {
        let sample = try ValueSample()
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        let object = try bridge.instance(writer).insert(
            "Sample", ["text": .string("\u{E9}"), "place": .composite(["street": .string("\u{E9}")])])
        try bridge.instance(writer).update(object, ["text": .string("e\u{301}")])
        #expect(try sample.holds("hex(ZTEXT) = '65CC81' AND hex(ZSTREET) = 'C3A9'"))
        try bridge.instance(writer).update(object, ["place": .composite(["street": .string("e\u{301}")])])
        #expect(try sample.holds("hex(ZSTREET) = '65CC81'"))
    }

    @Test(arguments: StackName.allCases)
    func anUpdateLeavesColumnsThatItDoesNotKnow(writer: StackName) throws {
        let sample = try ValueSample()
        try sample.foreign("ALTER TABLE ZSAMPLE ADD COLUMN ZLATER VARCHAR")
        let bridge = try sample.open(writer)
        defer { bridge.close() }
        let object = try bridge.instance(writer).insert("Sample", ["medium": .integer(1)])
        try sample.foreign("UPDATE ZSAMPLE SET ZLATER = 'kept', ZARCHIVE = x'00', ZLINK = ''")
        try bridge.instance(writer).update(object, ["medium": .integer(2)])
        #expect(try sample.holds("ZMEDIUM = 2 AND ZLATER = 'kept' AND ZARCHIVE = x'00' AND ZLINK = ''"))
    }
}
