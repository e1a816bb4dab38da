import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// A process that is killed in the middle of a handover leaves a store that has one owner, and has lost nothing.
@Suite struct HandoverKillTests {
    enum Recovery: CaseIterable {
        case start, offlineThaw, embeddedSave
    }

    static let cases = HandoverMoment.allCases.flatMap { moment in Recovery.allCases.map { (moment, $0) } }

    @Test("killed at a step, undone or finished by whoever comes next", arguments: cases)
    func killed(moment: HandoverMoment, recovery: Recovery) throws {
        let sample = try BridgeSample()
        let result = try Programs.run(Programs.coexistFault, [sample.path, moment.rawValue])
        #expect(result.exitCode == SIGKILL, "\(result.errors)")
        #expect(result.lines == ["before", "during"])

        let isDone = moment == .afterCommit
        let owner: StackName = isDone ? .model : .legacy
        let isFrozen = moment != .preflightPassed && !isDone
        #expect(try unit(sample) == [.text(owner.rawValue), .integer(isDone ? 2 : 1), .integer(isFrozen ? 1 : 0)])

        switch recovery {
        case .start:
            let bridge = try sample.open()
            #expect(bridge.warnings.contains { $0.contains("thawed") } == isFrozen)
            try bridge.instance(owner).insert("Tag", ["name": .string("after")])
            bridge.close()
        case .offlineThaw:
            #expect(try OfflineThaw.thaw(sample.path) == (isFrozen ? ["Tag"] : []))
            #expect(try unit(sample).last == .integer(0))
            try embedded(owner, sample) { try $0.insert("Tag", ["name": .string("after")]) }
        case .embeddedSave:
            try embedded(owner, sample) { try $0.insert("Tag", ["name": .string("after")]) }
        }

        #expect(try unit(sample) == [.text(owner.rawValue), .integer(isDone ? 2 : 1), .integer(0)])
        #expect(
            try sample.rows("SELECT ZNAME FROM ZTAG ORDER BY Z_PK") == [
                [.text("before")], [.text("during")], [.text("after")],
            ])
        #expect(try sample.rows("SELECT count(*) FROM COEXIST_HANDOVER") == [[.integer(isDone ? 1 : 0)]])
        try embedded(owner.other, sample) { instance in
            let error = #expect(throws: StoreError.self) { try instance.insert("Tag", ["name": .string("wrong")]) }
            #expect(error?.code == .ownershipViolation)
        }
        #expect(try sample.violations() == [])
        #expect(try Audit.run(Store.open(sample.path)).violations == [])

        // And the next handover goes through.
        let bridge = try sample.open()
        defer { bridge.close() }
        #expect(try bridge.handover("Tag", to: owner.other)?.epoch == (isDone ? 3 : 2))
        #expect(try bridge.compare("Tag") == Comparison.Result(rows: 3))
    }

    private func unit(_ sample: BridgeSample) throws -> [SQLValue] {
        try sample.rows("SELECT OWNER, EPOCH, FROZEN FROM COEXIST_UNIT WHERE NAME = 'Tag'").first ?? []
    }

    private func embedded(
        _ stack: StackName, _ sample: BridgeSample, _ body: (any StackInstance) throws -> Void
    ) throws {
        let instance: any StackInstance =
            try stack == .legacy ? LegacyInstance(path: sample.path) : ModelInstance(path: sample.path)
        defer { instance.close() }
        try body(instance)
    }

    @Test("a freeze whose daemon lives is not undone by a save, by whatever name the store is opened")
    func alive() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try bridge.freeze("Tag")
        let link = sample.folder.file("other-name.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sample.path)
        for path in [sample.path, link] {
            let embedded = try LegacyInstance(path: path)
            defer { embedded.close() }
            let error = #expect(throws: StoreError.self) { try embedded.insert("Tag", ["name": .string("a")]) }
            #expect(error?.code == .frozen)
            let busy = #expect(throws: StoreError.self) { try OfflineThaw.thaw(path) }
            #expect(busy?.code == .busy)
        }
        #expect(try bridge.unit(of: "Tag").isFrozen)
    }

    @Test("an offline thaw of one unit leaves the others, and names what it does not know")
    func oneUnit() throws {
        let sample = try BridgeSample()
        #expect(throws: StoreError.self) { try OfflineThaw.thaw(sample.path) }
        let bridge = try sample.open()
        try bridge.freeze("Tag")
        try bridge.freeze("Book")
        bridge.close()
        #expect(try OfflineThaw.thaw(sample.path, entity: "Tag") == ["Tag"])
        let error = #expect(throws: StoreError.self) { try OfflineThaw.thaw(sample.path, entity: "Tagg") }
        #expect(error?.code == .unknownEntity)
        #expect(try OfflineThaw.thaw(sample.path) == ["Book"])
        #expect(try OfflineThaw.thaw(sample.path) == [])
    }
}
