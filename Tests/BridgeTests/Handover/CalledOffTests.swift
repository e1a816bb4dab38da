import Bridge
import StoreFormat
import Synchronization
import Testing

/// A handover that is called off while it runs: everything as before, up to the commit of its switch.
@Suite struct CalledOffTests {
    @Test(arguments: HandoverMoment.allCases)
    func untilTheSwitchIsCommittedNothingChanges(moment: HandoverMoment) throws {
        let sample = try BridgeSample()
        let cancellation = Cancellation()
        let actions = Mutex<[String]>([])
        let bridge = try sample.open {
            $0.handoverProbe = { if $0 == moment { cancellation.cancel("somebody said so") } }
        }
        defer { bridge.close() }
        bridge.setActionHandler { action in actions.withLock { $0.append(action) } }
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        var steps: [HandoverStep.Name] = []
        func handOver() throws -> HandoverResult? {
            try bridge.handover("Tag", to: .model, user: "ann", cancellation: cancellation) { steps.append($0.name) }
        }
        guard moment != .afterCommit else {
            #expect(try handOver()?.epoch == 2)
            #expect(try bridge.unit(of: "Tag").owner == .model)
            #expect(actions.withLock { $0.last }?.contains("is done: epoch 2") == true)
            return
        }
        let error = #expect(throws: StoreError.self) { try handOver() }
        #expect(error?.code == .cancelled)
        #expect(error?.message.contains("since somebody said so: nothing has been changed") == true)
        #expect(moment == .preflightPassed ? steps == [.preflight] : steps.last == .thaw)
        let unit = try bridge.unit(of: "Tag")
        #expect(unit.owner == .legacy && unit.epoch == 1 && !unit.isFrozen)
        #expect(try bridge.handovers() == [])
        #expect(bridge.runningHandovers == [])
        let told = actions.withLock { $0 }
        #expect(told.count == 2, "\(told)")
        #expect(told.first == "handover of Tag to the model stack begins, by ann")
        #expect(told.last?.hasPrefix("handover of Tag to the model stack was called off: ") == true)
        try bridge.legacy.insert("Tag", ["name": .string("b")])
        #expect(try bridge.handover("Tag", to: .model)?.epoch == 2)
    }

    @Test func oneThatIsCalledOffBeforeItBeginsDoesNothing() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let cancellation = Cancellation()
        cancellation.cancel("first")
        cancellation.cancel("second")
        let error = #expect(throws: StoreError.self) {
            try bridge.handover("Tag", to: .model, cancellation: cancellation)
        }
        #expect(error?.message.contains("since first") == true)
    }
}
