import Bridge
import StoreFormat
import Synchronization
import TestKit
import Testing

/// History that is purged while a handover works from it.
@Suite struct PurgeDuringHandoverTests {
    private final class Place: Sendable {
        let bridge = Mutex<StoreBridge?>(nil)
    }

    /// - Parameter between: run after the preflight, before the freeze.
    private func handOver(
        _ sample: BridgeSample, between: @escaping @Sendable (StoreBridge) throws -> Void,
        _ after: (StoreBridge) throws -> Void
    ) throws {
        let place = Place()
        let errors = Mutex<[String]>([])
        let bridge = try sample.open {
            $0.guardMode = .off
            $0.handoverProbe = { moment in
                guard moment == .preflightPassed, let bridge = place.bridge.withLock({ $0 }) else { return }
                do { try between(bridge) } catch { errors.withLock { $0.append("\(error)") } }
            }
        }
        defer {
            place.bridge.withLock { $0 = nil }
            bridge.close()
        }
        place.bridge.withLock { $0 = bridge }
        for i in 0..<3 { try bridge.legacy.insert("Tag", ["name": .string("\(i)")]) }
        #expect(try bridge.handover("Tag", to: .model)?.owner == .model)
        #expect(errors.withLock { $0 } == [])
        try after(bridge)
    }

    @Test func thatOfTheDaemonWaits() throws {
        let sample = try BridgeSample()
        try handOver(sample) { bridge in
            try bridge.legacy.insert("Tag", ["name": .string("later")])
            #expect(try bridge.prune(.through(4)).last == 3)
        } _: { bridge in
            #expect(try bridge.extent().first == 4)
            // When it is done nothing is held any more.
            #expect(try bridge.prune(.through(4)).last == 4)
            try bridge.model.insert("Tag", ["name": .string("model")])
        }
    }

    @Test func afterThatOfAnotherProgramAllIsComparedAgain() throws {
        let sample = try BridgeSample()
        let path = sample.path
        try handOver(sample) { bridge in
            try bridge.legacy.insert("Tag", ["name": .string("later")])
            try bridge.legacy.insert("Tag", ["name": .string("later still")])
            let connection = try StoreConnector.connect(path, .writer(.full))
            let purge = HistoryPurge(connection, store: bridge.store)
            while try purge.step(through: 5) {}
        } _: { bridge in
            #expect(try bridge.extent().count == 0)
            try bridge.model.insert("Tag", ["name": .string("model")])
        }
    }
}
