import Bridge
import LegacyStack
import ModelStack
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
        let before = try sample.rows("SELECT * FROM COEXIST_STATE") + sample.rows("SELECT * FROM COEXIST_UNIT")
        var steps: [HandoverStep] = []
        #expect(try bridge.handover("Tag", to: .model, isDryRun: true) { steps.append($0) } == nil)
        #expect(steps.map(\.name) == [.preflight, .plan])
        #expect(steps[0].checks.map(\.name) == [.schemas, .positions, .history, .rules, .deletes, .rows])
        #expect(!steps[0].checks.contains { !$0.isPassed })
        #expect(steps[1].detail.contains("from the legacy to the model stack, epoch 1 to 2"))
        #expect(try sample.rows("SELECT * FROM COEXIST_STATE") + sample.rows("SELECT * FROM COEXIST_UNIT") == before)
        #expect(try bridge.handovers() == [])
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
        #expect(error?.message.contains("Tag is frozen by hand (epoch 1)") == true)
        #expect(error?.way.contains("thaw Tag") == false)
        #expect(try bridge.unit(of: "Tag").freeze == .byHand)
        let unit = try sample.rows("SELECT OWNER, FROZEN FROM COEXIST_UNIT WHERE NAME = 'Tag'")
        #expect(unit == [[.text("legacy"), .integer(2)]])
        #expect(try bridge.verify().filter { $0.severity == .error } == [])
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

    /// Each stack in turn as the embedded one that is given the entity while it is not looking.
    @Test(arguments: StackName.allCases)
    func anEmbeddedInstanceOfTheNewOwnerReplaysBeforeItsFirstSave(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(defaultOwner: stack.other) }
        defer { bridge.close() }
        let tag = try bridge.instance(stack.other).insert("Tag", ["name": .string("a")])
        let store = try Store.open(sample.path)
        let embedded: any StackInstance =
            try stack == .legacy ? LegacyInstance(store: store) : ModelInstance(store: store)
        defer { embedded.close() }
        #expect(try embedded.value(tag, "name") == .string("a"))
        try bridge.instance(stack.other).update(tag, ["name": .string("b")])
        _ = try bridge.handover("Tag", to: stack)
        try embedded.update(tag, ["name": .string("c")], expecting: 2)
        #expect(embedded.position >= 2)
        #expect(try sample.rows("SELECT ZNAME, Z_OPT FROM ZTAG") == [[.text("c"), .integer(3)]])
    }

    @Test func theRecordTellsEveryChangeOfOwner() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        _ = try bridge.handover("Tag", to: .model, user: "ada", reason: "the new code")
        _ = try bridge.handover("Book", to: .model)
        _ = try bridge.handover("Tag", to: nil, user: "bob")
        let record = try bridge.handovers(of: "Tag")
        #expect(record.map(\.unit) == ["Tag", "Tag"])
        #expect(record.map(\.previous) == [.legacy, .model])
        #expect(record.map(\.owner) == [.model, .legacy])
        #expect(record.map(\.epoch) == [2, 3])
        #expect(record.map(\.user) == ["ada", "bob"])
        #expect(record.map(\.reason) == ["the new code", nil])
        #expect(record.map(\.number) == [1, 1])
        #expect(try bridge.handovers().map(\.unit) == ["Tag", "Book", "Tag"])
    }

    /// Who has not come to a switch yet holds what it held: its next save has it replay first.
    @Test(arguments: StackName.allCases) func anInstanceThatIsBehindASwitchHoldsItsEpochFromBefore(to stack: StackName)
        throws
    {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(defaultOwner: stack.other) }
        defer { bridge.close() }
        let tag = try bridge.instance(stack.other).insert("Tag", ["name": .string("a")])
        let embedded: any StackInstance =
            try stack == .legacy ? LegacyInstance(path: sample.path) : ModelInstance(path: sample.path)
        defer { embedded.close() }
        for name in ["b", "c"] { try bridge.instance(stack.other).update(tag, ["name": .string(name)]) }
        _ = try bridge.handover("Tag", to: stack)
        let store = bridge.store
        let history = try bridge.read { try HistoryReader($0, store: store).transactions(after: 1) }
        try embedded.apply([history[0]])
        #expect(embedded.position == 2 && embedded.authority.epochs["Tag"] == 1)
        try embedded.apply([history[1]])
        #expect(embedded.position == 3 && embedded.authority.epochs["Tag"] == 2)
    }
}
