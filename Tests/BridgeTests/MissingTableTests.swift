import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import TestKit
import Testing

/// An adopted store of which somebody removed one of our tables: whatever needs it says which, and the way out, and a reader
/// reads.
@Suite struct MissingTableTests {
    private static func adopted() throws -> BridgeSample {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        try bridge.legacy.insert("Tag", ["name": .string("a")])
        bridge.close()
        return sample
    }

    private func expectNamed(
        _ table: String, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) {
        let error = #expect(throws: StoreError.self, sourceLocation: location) { try body() }
        #expect(error?.code == .damaged, sourceLocation: location)
        #expect(error?.message.contains("lacks \(table)") == true, "\(error?.message ?? "")", sourceLocation: location)
        let isMendable = CoexistenceTables.mendable.contains(table)
        #expect(error?.way.contains("--repair") == isMendable, sourceLocation: location)
        #expect(error?.way.contains("coexistctl release") == true, sourceLocation: location)
    }

    @Test(arguments: CoexistenceTables.names)
    func whateverNeedsItSaysSo(table: String) throws {
        let sample = try Self.adopted()
        let bridge = try sample.open()
        try sample.foreign("DROP TABLE \(table)")
        expectNamed(table) { try bridge.legacy.insert("Tag", ["name": .string("b")]) }
        bridge.close()
        expectNamed(table) { _ = try sample.open() }
        expectNamed(table) { _ = try LegacyInstance(store: Store.open(sample.path)) }
        expectNamed(table) { _ = try ModelInstance(store: Store.open(sample.path)) }
        expectNamed(table) { _ = try Audit.run(Store.open(sample.path)) }
        // Who only reads does not need it.
        for stack in StackName.allCases {
            let reader = try StackFactory.reader(stack, try Store.open(sample.path))
            defer { reader.close() }
            #expect(try reader.references(matching: ObjectQuery(entity: "Tag")).count == 1)
        }
        let found = try StoreVerifier.verify(
            StoreConnector.offlineReader(sample.path), store: try Store.open(sample.path))
        #expect(found.contains { $0.severity == .error })
    }

    @Test(arguments: CoexistenceTables.names)
    func theStoreIsReleasedAndAdoptedAgain(table: String) throws {
        let sample = try Self.adopted()
        try sample.foreign("DROP TABLE \(table)")
        #expect(try Release.release(sample.path).wasAdopted)
        #expect(try sample.rows("SELECT name FROM sqlite_master WHERE name GLOB 'COEXIST*'").isEmpty)
        let bridge = try sample.open()
        defer { bridge.close() }
        try bridge.legacy.insert("Tag", ["name": .string("b")])
        #expect(try sample.rows("SELECT ZNAME FROM ZTAG ORDER BY 1") == [["a"], ["b"]])
    }

    @Test(arguments: CoexistenceTables.names)
    func itIsMadeAnewWhereThatTakesNoChoice(table: String) throws {
        let sample = try Self.adopted()
        let before = try sample.rows("SELECT * FROM \(table) ORDER BY 1")
        try sample.foreign("DROP TABLE \(table)")
        let done = try RegisterRepair.repair(Store.open(sample.path))
        guard CoexistenceTables.mendable.contains(table) else {
            #expect(done == [])
            #expect(try CoexistenceTables.missing(StoreConnector.offlineReader(sample.path)) == [table])
            return
        }
        #expect(done.count == 1 && done[0].contains(table))
        #expect(try sample.rows("SELECT * FROM \(table) ORDER BY 1") == before)
        // The guard's triggers are there again too.
        let found = try StoreVerifier.verify(
            StoreConnector.offlineReader(sample.path), store: try Store.open(sample.path))
        #expect(found == [])
        try sample.open().close()
    }

    /// Which of two owners had the pairs of books and tags was somebody's choice.
    @Test func pairsBetweenTwoOwnersAreNotGivenToOne() throws {
        let sample = try BridgeSample()
        try sample.open { $0.seed = OwnershipSeed(entities: ["Tag": .model]) }.close()
        try sample.foreign("DROP TABLE COEXIST_JOIN")
        #expect(try RegisterRepair.repair(Store.open(sample.path)) == [])
    }

    /// Units that are not the model's: which entity belongs to which is not known.
    @Test func ofUnitsOfAnotherModelNothingIsFilled() throws {
        let sample = try Self.adopted()
        try GuardTriggersOff.run(
            sample, "UPDATE COEXIST_UNIT SET NAME = 'Label' WHERE NAME = 'Tag'; DROP TABLE COEXIST_ENTITY")
        #expect(try RegisterRepair.repair(Store.open(sample.path)) == [])
        #expect(try CoexistenceTables.missing(StoreConnector.offlineReader(sample.path)) == ["COEXIST_ENTITY"])
    }
}
