import Bridge
import LegacyStack
import StoreFormat
import TestKit
import Testing

@Suite struct HandoverTests {
    @Test func theStepsPassInOrderAndTheEpochCounts() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        var steps: [HandoverStep.Name] = []
        let result = try bridge.handover("Tag", to: .model, user: "me", reason: "because") { steps.append($0.name) }
        #expect(steps == [.preflight, .freeze, .replay, .compare, .switch])
        #expect(result?.owner == .model)
        #expect(result?.epoch == 2)
        #expect(result?.token.transaction == 1)
        let record = try sample.rows(
            "SELECT UNIT, PREVIOUS, OWNER, EPOCH, BY_USER, REASON, NUMBER FROM COEXIST_HANDOVER")
        #expect(
            record == [
                [
                    .text("Tag"), .text("legacy"), .text("model"), .integer(2), .text("me"), .text("because"),
                    .integer(1),
                ]
            ])
        try bridge.model.update(tag, ["name": .string("b")])
        #expect(throws: StoreError.self) { try bridge.legacy.update(tag, ["name": .string("c")]) }
        let back = try bridge.handover("Tag", to: nil)
        #expect(back?.owner == .legacy)
        #expect(back?.epoch == 3)
        try bridge.legacy.update(tag, ["name": .string("c")])
    }

    @Test func theWholeUnitChangesHands() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let result = try bridge.handover("Card", to: .model)
        #expect(result?.unit == ["Author", "Card", "Member", "Person"])
        #expect(try bridge.unit(of: "Author").owner == .model)
        #expect(try bridge.unit(of: "Book").owner == .legacy)
    }

    @Test func aDryRunChangesNothing() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        var steps: [HandoverStep.Name] = []
        #expect(try bridge.handover("Tag", to: .model, isDryRun: true) { steps.append($0.name) } == nil)
        #expect(steps == [.preflight])
        #expect(try bridge.unit(of: "Tag").epoch == 1)
    }

    @Test func whatMakesNoSenseIsRefusedBeforeAnyFreeze() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .legacy) }
        #expect(throws: StoreError.self) { try bridge.handover("Tag", to: nil) }
        #expect(throws: StoreError.self) { try bridge.handover("Tagg", to: .model) }
        try bridge.freeze("Tag")
        #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) }
        #expect(try bridge.thaw("Tag").isFrozen == false)
        #expect(try bridge.unit(of: "Tag").owner == .legacy)
    }

    @Test func aFrozenUnitIsRefusedToItsOwnerToo() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try bridge.freeze("Tag")
        let error = #expect(throws: StoreError.self) { try bridge.legacy.insert("Tag", ["name": .string("a")]) }
        #expect(error?.code == .frozen)
        try bridge.legacy.insert("Book", ["title": .string("other units go on")])
        try bridge.thaw("Tag")
        try bridge.legacy.insert("Tag", ["name": .string("a")])
    }

    @Test func anEmbeddedInstanceOfTheOldOwnerThatSleptIsRefused() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let embedded = try LegacyInstance(path: sample.path)
        defer { embedded.close() }
        let tag = try embedded.insert("Tag", ["name": .string("a")])
        _ = try bridge.handover("Tag", to: .model)
        #expect(throws: StoreError.self) { try embedded.update(tag, ["name": .string("b")]) }
        // Back again: it holds the epoch of before, and must replay before it may write.
        _ = try bridge.handover("Tag", to: nil)
        let error = #expect(throws: StoreError.self) { try embedded.update(tag, ["name": .string("b")]) }
        #expect(error?.code == .staleEpoch)
        try embedded.replay()
        try embedded.update(tag, ["name": .string("b")])
    }

    @Test func comparisonNamesWhatReadsDifferently() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        for i in 0..<50 { try bridge.legacy.insert("Tag", ["name": .string("\(i)")]) }
        let result = try Comparison.compare(entity: "Tag", legacy: bridge.legacy, model: bridge.model)
        #expect(result.rows == 50)
        #expect(result.differences.isEmpty)
    }
}
