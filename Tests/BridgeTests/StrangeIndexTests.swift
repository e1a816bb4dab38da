import Bridge
import StoreFormat
import TestKit
import Testing

/// A unique index that another program made refuses a save.
@Suite struct StrangeIndexTests {
    @Test(arguments: StackName.allCases)
    func theRefusalNamesTheOtherObjectAndTheProperty(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open {
            $0.guardMode = .off
            $0.seed = OwnershipSeed(defaultOwner: stack)
        }
        defer { bridge.close() }
        try bridge.instance(stack).insert("Book", ["title": .string("Dune")])
        try sample.foreign("CREATE UNIQUE INDEX strange ON ZBOOK (ZTITLE)")
        let error = #expect(throws: StoreError.self) {
            try bridge.instance(stack).insert("Book", ["title": .string("Dune")])
        }
        #expect(error?.code == .uniqueConflict)
        #expect(error?.message.contains("Book/1") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("has the same title, by a unique index that the model does not have") == true)
        #expect(error?.message.contains("UNIQUE constraint") == false)
    }

    @Test func anIndexOfExpressionsIsNamed() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        try bridge.legacy.insert("Book", ["title": .string("Dune")])
        try sample.foreign("CREATE UNIQUE INDEX strange ON ZBOOK (lower(ZTITLE))")
        let error = #expect(throws: StoreError.self) { try bridge.legacy.insert("Book", ["title": .string("DUNE")]) }
        #expect(error?.message.contains("index 'strange', by a unique index that the model does not have") == true)
    }
}
