import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// A model context that was opened before a handover, whose changes the legacy stack then saves.
@Suite struct ForwardModelContextTests {
    private let folder: TemporaryFolder
    private let path: String
    private let bridge: StoreBridge
    private let container: ModelContainer
    private let context: ModelContext

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Journeys.store")
        container = try ModelContainer(
            for: Journey.self, Halt.self, Guide.self,
            configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
        var options = BridgeOptions()
        options.seed = OwnershipSeed(defaultOwner: .model)
        bridge = try StoreBridge(path: path, options: options)
        try container.instance.replay()
        context = ModelContext(container)
        context.author = "planner"
        let (first, second) = (Journey(code: "A", note: "slow"), Journey(code: "B"))
        first.halts = [Halt(place: "Faro"), Halt(place: "Beja")]
        context.insert(first)
        context.insert(second)
        context.insert(Guide(name: "Ines"))
        try context.save()
    }

    private func handOver() throws {
        for entity in ["Journey", "Halt", "Guide"] where try bridge.unit(of: entity).owner == .model {
            _ = try bridge.handover(entity, to: .legacy)
        }
    }

    private func journeys() throws -> [Journey] {
        try context.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.code)]))
    }

    private func rows(_ sql: String) throws -> [[SQLValue]] { try Connection(path: path, mode: .readOnly).query(sql) }

    private func refused() throws {
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .ownershipViolation)
        #expect(context.hasChanges)
    }

    @Test("inserts, updates, deletes and relationships are saved by the owner, and the context goes on")
    func everything() throws {
        defer { bridge.close() }
        let old = try journeys()
        let guide = try #require(try context.fetch(FetchDescriptor<Guide>()).first)
        let map = Data(repeating: 9, count: 200_000)
        let new = Journey(code: "C")
        new.map = map
        context.insert(new)
        let halt = Halt(place: "Lagos", journey: new)
        context.insert(halt)
        new.guides = [guide]
        old[1].note = "by boat"
        context.delete(old[0])
        try handOver()
        try refused()

        let number = try #require(try bridge.forward(pending: context))

        #expect(!context.hasChanges)
        #expect(
            try rows("SELECT STACK, INSTANCE FROM COEXIST_TRANSACTION WHERE NUMBER = \(number)")
                == [[.text("legacy"), .text(bridge.legacy.instanceName)]])
        #expect(try bridge.read { try HistoryReader($0, store: bridge.store).heading(of: number)?.author } == "planner")
        #expect(
            try rows("SELECT ZCODE, ZNOTE FROM ZJOURNEY ORDER BY Z_PK")
                == [[.text("B"), .text("by boat")], [.text("C"), .null]])
        // The cascade was the owner's.
        #expect(try rows("SELECT ZPLACE FROM ZHALT") == [[.text("Lagos")]])
        #expect(new.halts.map(\.place) == ["Lagos"] && halt.journey === new)
        #expect(new.guides.map(\.name) == ["Ines"] && guide.journeys.map(\.code) == ["C"])
        #expect(new.map == map)
        #expect(new.persistentModelID.storeIdentifier == bridge.store.uuid)
        #expect(try journeys().map(\.code) == ["B", "C"])
        let connection = try StoreConnector.connect(path, .reader)
        #expect(try StoreVerifier.verify(connection, store: bridge.store).filter { $0.severity == .error } == [])
        #expect(try Audit.run(Store.open(path)).violations == [])
        new.note = "again"
        try refused()
        #expect(try bridge.legacy.forward(pending: context) == number + 1)
        #expect(new.note == "again")
    }

    @Test("a row that the owner changed is a conflict, and the changes stay")
    func conflict() throws {
        defer { bridge.close() }
        let old = try journeys()
        old[0].note = "mine"
        try handOver()
        let reference = try #require(
            try bridge.legacy.objects(matching: ObjectQuery(entity: "Journey")).first {
                $0.values["code"] == .string("A")
            }
        ).reference
        try bridge.legacy.update(reference, ["note": .string("theirs")])
        let error = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
        #expect(error?.code == .versionConflict)
        #expect(error?.objects.map(\.object) == [reference])
        #expect(old[0].note == "mine" && context.hasChanges)
        context.rollback()
        old[0].note = "mine after all"
        #expect(try bridge.forward(pending: context) != nil)
        #expect(try rows("SELECT ZNOTE FROM ZJOURNEY WHERE ZCODE = 'A'") == [[.text("mine after all")]])
    }

    @Test("a unique value that the owner has taken names the row and its owner; an upsert never writes that row")
    func unique() throws {
        defer { bridge.close() }
        try handOver()
        let taken = try bridge.legacy.insert("Journey", ["code": .string("X"), "note": .string("theirs")])
        context.insert(Journey(code: "X", note: "mine"))
        try refused()
        let error = #expect(throws: StoreError.self) { try bridge.forward(pending: context) }
        #expect(error?.code == .uniqueConflict)
        #expect(error?.objects.last?.object == taken)
        #expect(error?.objects.last?.owner == .legacy)
        #expect(error?.objects.last?.epoch == 2)
        #expect(context.insertedModelsArray.count == 1)
        #expect(try rows("SELECT ZNOTE FROM ZJOURNEY WHERE ZCODE = 'X'") == [[.text("theirs")]])
        // An upsert of a row that is its own again is none of the other stack's.
        _ = try bridge.handover("Journey", to: .model)
        try container.instance.replay()
        try context.save()
        #expect(try rows("SELECT ZNOTE FROM ZJOURNEY WHERE ZCODE = 'X'") == [[.text("mine")]])
    }

    @Test("an embedded owner saves as well: no daemon is needed")
    func embedded() throws {
        try handOver()
        bridge.close()
        context.insert(Journey(code: "D"))
        try refused()
        let owner = try LegacyInstance(path: path)
        defer { owner.close() }
        #expect(try owner.forward(pending: context) != nil)
        #expect(try rows("SELECT count(*) FROM ZJOURNEY WHERE ZCODE = 'D'") == [[.integer(1)]])
    }
}
