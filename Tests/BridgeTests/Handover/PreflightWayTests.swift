import Bridge
import StoreFormat
import Testing

/// What a failed preflight says to do, and that it helps; what it says of other units that move too.
@Suite struct PreflightWayTests {
    @Test func aBrokenRowOfHistoryIsPurged() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        for name in ["a", "b", "c"] { try bridge.legacy.insert("Tag", ["name": .string(name)]) }
        // The change of the second of three transactions.
        try sample.foreign("UPDATE ACHANGE SET Z_OPT = 1 WHERE Z_PK = 2")
        let error = #expect(throws: StoreError.self) { try bridge.handover("Tag", to: .model) }
        #expect(error?.message.contains("ACHANGE 2") == true)
        #expect(
            error?.way.contains("`coexistctl history prune --before \(bridge.store.uuid):1:3`") == true,
            "\(error?.way ?? "")")
        #expect(error?.way.contains("compare") == false)
        #expect(try bridge.prune(.through(2)).transactions == 2)
        #expect(try bridge.handover("Tag", to: .model)?.epoch == 2)
    }

    @Test func whatMovesInTheSameCallIsNoOtherOwner() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        func deletes(alongside: [String: StackName]) throws -> String? {
            var steps: [HandoverStep] = []
            _ = try bridge.handover("Book", to: .model, isDryRun: true, alongside: alongside) { steps.append($0) }
            return steps.first?.checks.first { $0.name == .deletes }?.detail
        }
        #expect(try deletes(alongside: [:])?.contains("refused: Author.books") == true)
        #expect(
            try deletes(alongside: [bridge.unit(of: "Author").name: .model, "Shelf": .model])
                == "no delete rule reaches rows of another owner")
    }
}
