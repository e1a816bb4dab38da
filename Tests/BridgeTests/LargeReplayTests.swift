import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Replay of a transaction that has more changes than a batch may.
@Suite struct LargeReplayTests {
    private let sample: BridgeSample
    private let writer: LegacyInstance
    private let tags: [ObjectReference]
    private let shelf: ObjectReference

    init() throws {
        sample = try BridgeSample()
        writer = try LegacyInstance(path: sample.path)
        tags = try (1...6).map { [writer] in try writer.insert("Tag", ["name": .string("old \($0)")]) }
        shelf = try writer.insert("Shelf", ["label": .string("old")])
    }

    /// Updates Tag/1 to Tag/4 and the shelf, deletes Tag/5, inserts Tag/7 to Tag/9.
    private func saveLarge() throws {
        func name(_ text: String) -> [String: ObjectBatch.Input] { ["name": .attribute(.string(text))] }
        var operations = tags[0..<4].map {
            ObjectBatch.Operation.update($0, values: name("new \($0.key)"), expecting: nil)
        }
        operations.append(.update(shelf, values: ["label": .attribute(.string("new"))], expecting: nil))
        operations.append(.delete(tags[4], expecting: nil))
        operations += (7...9).map { .insert(entity: "Tag", name: "\($0)", values: name("new \($0)")) }
        _ = try writer.save(ObjectBatch(operations))
    }

    private func open(_ stack: StackName) throws -> any StackInstance {
        stack == .legacy ? try LegacyInstance(path: sample.path) : try ModelInstance(path: sample.path)
    }

    @Test func itComesAloneAndOnlyItsEntitiesAreNamed() throws {
        try writer.update(tags[5], ["name": .string("before")])
        try saveLarge()
        try writer.update(tags[5], ["name": .string("after")])
        let reader = try StoreConnector.connect(sample.path, .reader)
        func batch(after number: Int64) throws -> [HistoryTransaction] {
            try HistoryReader(reader, store: writer.store).transactions(after: number, changeLimit: 8, largest: 8)
        }
        #expect(try batch(after: 7).map(\.number) == [8])
        let large = try batch(after: 8)
        #expect(large.map(\.number) == [9])
        #expect(large.first?.changes == [] && large.first?.changedEntities == ["Shelf", "Tag"])
        let last = try batch(after: 9)
        #expect(last.map(\.number) == [10] && last.first?.changedEntities == nil && last.first?.changes.count == 1)
        // Nine changes are not more than nine.
        let whole = try HistoryReader(reader, store: writer.store).transactions(after: 8, largest: 9)
        #expect(whole.map(\.changes.count) == [9, 1])
    }

    @Test("each stack reads all of it anew, and no more than it", arguments: StackName.allCases)
    func applied(stack: StackName) throws {
        let instance = try open(stack)
        defer { instance.close() }
        let card = try writer.insert("Card", ["number": .integer(1)])
        try instance.replay()
        for object in tags + [shelf, card] { #expect(try instance.object(object, isFresh: false) != nil) }
        try saveLarge()
        let misses = instance.cacheStatistics.misses
        #expect(try instance.value(tags[0], "name") == .string("old 1"), "what is cached is stale until the replay")
        try instance.replay(batchChanges: 3)
        #expect(instance.position == 9)
        for tag in tags[0..<4] { #expect(try instance.value(tag, "name") == .string("new \(tag.key)")) }
        #expect(try instance.value(shelf, "label") == .string("new"))
        #expect(try instance.object(tags[4], isFresh: false) == nil)
        #expect(try instance.value(ObjectReference(entity: "Tag", key: 9), "name") == .string("new 9"))
        // What it did not touch is still cached.
        let before = instance.cacheStatistics.misses
        #expect(before > misses)
        _ = try instance.object(card, isFresh: false)
        #expect(instance.cacheStatistics.misses == before)
    }

    @Test("its writer passes over it like over any other of its own", arguments: StackName.allCases)
    func own(stack: StackName) throws {
        try sample.open { $0.seed = OwnershipSeed(defaultOwner: stack) }.close()
        let instance = try open(stack)
        defer { instance.close() }
        let names = try (0..<5).map { try instance.insert("Tag", ["name": .string("mine \($0)")]) }
        _ = try instance.save(
            ObjectBatch(names.map { .update($0, values: ["name": .attribute(.string("\($0.key)"))], expecting: nil) }))
        let before = instance.cacheStatistics.invalidations
        try instance.replay(batchChanges: 3)
        #expect(instance.position == 13)
        #expect(instance.cacheStatistics.invalidations == before)
    }

    @Test func objectsOfAContextFollowAndWhatIsDeletedIsGone() throws {
        let instance = try LegacyInstance(path: sample.path)
        defer { instance.close() }
        let context = instance.newContext()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let results = NSFetchedResultsController<NSManagedObject>(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        try results.performFetch()
        let objects = try #require(results.fetchedObjects)
        #expect(objects.count == 6)
        #expect(objects.compactMap { $0.value(forKey: "name") as? String }.count == 6)
        // A pending change stays, for the version test to judge.
        objects[3].setValue("mine", forKey: "name")
        try saveLarge()
        try instance.replay(batchChanges: 3)
        #expect(objects[0].value(forKey: "name") as? String == "new 1")
        #expect(objects[3].value(forKey: "name") as? String == "mine")
        #expect(throws: StoreError.self) { _ = try objects[4].checkedValue(forKey: "name") }
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .versionConflict)
        context.rollback()
        context.processPendingChanges()
        let names = results.fetchedObjects?.compactMap { $0.value(forKey: "name") as? String }
        #expect(names == ["new 1", "new 2", "new 3", "new 4", "new 7", "new 8", "new 9", "old 6"])
    }

    /// More than waits for one context: 60,000 changes in transactions of 5,000, which are batches as usual.
    @Test func aContextThatNobodyUsesMeanwhileStillFollows() throws {
        let legacy = try LegacyInstance(path: sample.path)
        let model = try ModelInstance(path: sample.path)
        defer {
            legacy.close()
            model.close()
        }
        let context = legacy.newContext()
        let objects = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
        let first = try #require(objects.first { $0.objectID.uriRepresentation().path.hasSuffix("/p1") })
        let fifth = try #require(objects.first { $0.objectID.uriRepresentation().path.hasSuffix("/p5") })
        #expect(first.value(forKey: "name") as? String == "old 1")
        try saveLarge()
        try sample.foreign(
            """
            BEGIN IMMEDIATE;
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT 8 + i, 16002, i FROM n;
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 59999)
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID)
            SELECT 1000 + i, 16001, 0, 6, 1000 + i, 9 + i / 5000 FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 60999 WHERE Z_ENT = 16001;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 20 WHERE Z_ENT = 16002;
            COMMIT
            """)
        for instance in [legacy, model] as [any StackInstance] {
            try instance.replay()
            #expect(instance.position == 20)
        }
        #expect(first.value(forKey: "name") as? String == "new 1")
        #expect(throws: StoreError.self) { _ = try fifth.checkedValue(forKey: "name") }
    }

    /// Of a transaction that came between the preflight and the freeze, a handover compares all objects of its entities.
    @Test(arguments: [false, true])
    func aHandoverComparesTheEntitiesOfALargeTransaction(differs: Bool) throws {
        writer.close()
        let sample = sample
        let (bridge, model) = try sample.openTampered {
            $0.handoverProbe = { moment in
                guard moment == .preflightPassed else { return }
                try? GuardTriggersOff.run(
                    sample,
                    """
                    BEGIN IMMEDIATE;
                    INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (8, 16002, 1);
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10001)
                    INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
                    SELECT 100 + i, 16001, 1, 7, i, 8, x'80' FROM n;
                    UPDATE Z_PRIMARYKEY SET Z_MAX = 10101 WHERE Z_ENT = 16001;
                    UPDATE Z_PRIMARYKEY SET Z_MAX = 8 WHERE Z_ENT = 16002;
                    COMMIT
                    """)
            }
        }
        defer { bridge.close() }
        var compared = ""
        let handOver = {
            try bridge.handover("Tag", to: .model) { step in
                if step.name == .compare { compared = step.detail }
                // What the model stack reads is wrong from the preflight on.
                guard differs, step.name == .preflight else { return }
                model.tamper { record in
                    var record = record
                    if record.reference.key == 6 { record.values["name"] = .string("other") }
                    return record
                }
            }
        }
        guard differs else {
            #expect(try handOver()?.epoch == 2)
            #expect(compared.hasPrefix("6 objects changed"), "\(compared)")
            return
        }
        let error = #expect(throws: StoreError.self) { try handOver() }
        #expect(error?.message.hasPrefix("Tag/6 reads differently: name is") == true, "\(error?.message ?? "")")
        #expect(try bridge.unit(of: "Tag").owner == .legacy && bridge.unit(of: "Tag").isFrozen == false)
    }
}
