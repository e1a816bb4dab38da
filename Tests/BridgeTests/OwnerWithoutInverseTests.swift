import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A to-many without an inverse is kept in its members' rows. Its owner changes all the same when a member goes: both ends of
/// a changed relationship get a version and a change row (Format, section 12), whichever stack saves.
@Suite struct OwnerWithoutInverseTests {
    private let folder: TemporaryFolder
    private let path: String

    /// `Album` is entity 1, `Song` 2.
    private static func model(isOrdered: Bool) -> ModelDescription {
        Short.model(
            Short.entity(
                "Album", [Short.attribute("title")], [Short.toMany("songs", "Song", ordered: isOrdered)]),
            Short.entity("Song", [Short.attribute("name")]))
    }

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("s.sqlite")
    }

    private func song(_ key: Int64) -> ObjectReference { ObjectReference(entity: "Song", key: key) }
    private func album(_ key: Int64) -> ObjectReference { ObjectReference(entity: "Album", key: key) }
    private func songs(_ keys: Int64...) -> [String: ObjectBatch.Input] {
        ["songs": .toMany(keys.map { .existing(song($0)) })]
    }

    /// Album 1 has songs 1 and 2, album 2 none; song 3 is alone.
    private func open(_ path: String, _ stack: StackName, isOrdered: Bool) throws -> StoreBridge {
        try StoreCreator.create(path, model: Self.model(isOrdered: isOrdered))
        var options = BridgeOptions()
        options.seed = OwnershipSeed(defaultOwner: stack)
        let bridge = try StoreBridge(path: path, options: options)
        let instance = bridge.instance(stack)
        for i in 1...3 { try instance.insert("Song", ["name": .string("\(i)")]) }
        _ = try instance.save(ObjectBatch([.insert(entity: "Album", name: "a", values: songs(1, 2))]))
        try instance.insert("Album", [:])
        return bridge
    }

    private func rows(_ path: String, _ sql: String) throws -> [[SQLValue]] {
        try Connection(path: path, mode: .readOnly).query(sql)
    }

    private func versions() throws -> [SQLValue] {
        try rows(path, "SELECT Z_OPT FROM ZALBUM ORDER BY Z_PK").map { $0[0] }
    }

    /// The updates of albums in a transaction: object and properties.
    private func updates(_ bridge: StoreBridge, _ number: Int64?) throws -> [String: [String]] {
        let number = try #require(number)
        let store = bridge.store
        let changes = try bridge.read { try HistoryReader($0, store: store).transactions(after: number - 1) }
            .flatMap(\.changes)
        return Dictionary(
            changes.filter { $0.kind == .update && $0.object.entity == "Album" }
                .map { ("\($0.object)", $0.properties) },
            uniquingKeysWith: { $0 + ["twice"] + $1 })
    }

    @Test(arguments: StackName.allCases, [false, true])
    func aDeletedMemberChangesItsOwner(stack: StackName, isOrdered: Bool) throws {
        let bridge = try open(path, stack, isOrdered: isOrdered)
        defer { bridge.close() }
        let instance = bridge.instance(stack)
        let result = try instance.save(ObjectBatch([.delete(song(1), expecting: nil)]))
        #expect(try versions() == [.integer(2), .integer(1)])
        #expect(try updates(bridge, result.transaction) == ["Album/1": ["songs"]])
        for stack in StackName.allCases {
            try bridge.replay()
            let object = try bridge.instance(stack).object(album(1), isFresh: false)
            #expect(object?.version == 2)
            #expect(object?.relationships["songs"] == .toMany([song(2)]))
        }
        // Who saw the album before the deletion does not overwrite it.
        let error = #expect(throws: StoreError.self) {
            try instance.save(ObjectBatch([.update(album(1), values: songs(2, 3), expecting: 1)]))
        }
        #expect(error?.code == .versionConflict)
        let store = bridge.store
        #expect(try bridge.read { try StoreVerifier.verify($0, store: store) }.isEmpty)
    }

    @Test(arguments: StackName.allCases, [false, true])
    func aMemberThatGoesToAnotherOwnerChangesBoth(stack: StackName, isOrdered: Bool) throws {
        let bridge = try open(path, stack, isOrdered: isOrdered)
        defer { bridge.close() }
        let result = try bridge.instance(stack).save(
            ObjectBatch([.update(album(2), values: songs(1), expecting: 1)]))
        #expect(try versions() == [.integer(2), .integer(2)])
        #expect(try updates(bridge, result.transaction) == ["Album/1": ["songs"], "Album/2": ["songs"]])
        // A new owner takes one too.
        let taken = try bridge.instance(stack).save(
            ObjectBatch([.insert(entity: "Album", name: "b", values: songs(2))]))
        #expect(try versions() == [.integer(3), .integer(2), .integer(1)])
        #expect(try updates(bridge, taken.transaction) == ["Album/1": ["songs"]])
        #expect(try bridge.instance(stack).object(album(1), isFresh: false)?.relationships["songs"] == .toMany([]))
    }

    @Test(arguments: StackName.allCases)
    func anOwnerThatChangesOtherwiseTooHasOneChangeWithBoth(stack: StackName) throws {
        let bridge = try open(path, stack, isOrdered: false)
        defer { bridge.close() }
        let result = try bridge.instance(stack).save(
            ObjectBatch([
                .update(album(1), values: ["title": .attribute(.string("new"))], expecting: 1),
                .delete(song(1), expecting: nil),
            ]))
        #expect(try versions() == [.integer(2), .integer(1)])
        #expect(try updates(bridge, result.transaction) == ["Album/1": ["songs", "title"]])
    }

    @Test(arguments: [false, true])
    func bothStacksLeaveTheSameFile(isOrdered: Bool) throws {
        let files = try StackName.allCases.map { stack -> [[SQLValue]] in
            let path = folder.file("\(stack.rawValue).sqlite")
            let bridge = try open(path, stack, isOrdered: isOrdered)
            defer { bridge.close() }
            let instance = bridge.instance(stack)
            for batch: [ObjectBatch.Operation] in [
                [.update(album(2), values: songs(2, 3), expecting: nil)],
                [.update(album(1), values: songs(1, 3), expecting: nil)],
                [.delete(song(3), expecting: nil), .update(album(2), values: songs(1), expecting: nil)],
                [.delete(album(1), expecting: nil), .delete(song(1), expecting: nil)],
                [.delete(album(2), expecting: nil)],
            ] { _ = try instance.save(ObjectBatch(batch)) }
            return try rows(path, "SELECT * FROM ZSONG ORDER BY Z_PK")
                + rows(path, "SELECT * FROM ZALBUM ORDER BY Z_PK")
                + rows(
                    path,
                    """
                    SELECT ZTRANSACTIONID, ZCHANGETYPE, ZENTITY, ZENTITYPK, hex(ZCOLUMNS) FROM ACHANGE
                    ORDER BY 1, 2, 3, 4
                    """)
        }
        #expect(files[0] == files[1])
    }

    /// A context that shows an album goes on with what is left of it.
    @Test func aContextShowsWhatIsLeft() throws {
        try open(path, .legacy, isOrdered: true).close()
        let instance = try LegacyInstance(path: path)
        defer { instance.close() }
        let context = instance.newContext()
        let albums = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Album"))
            .sorted { $0.objectID.reference?.key ?? 0 < $1.objectID.reference?.key ?? 0 }
        func keys(_ album: NSManagedObject) -> [Int64?] {
            album.objectIDs(forRelationshipNamed: "songs").map { $0.reference?.key }
        }
        #expect(keys(albums[0]) == [1, 2] && keys(albums[1]) == [])
        let songs = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Song"))
            .sorted { $0.objectID.reference?.key ?? 0 < $1.objectID.reference?.key ?? 0 }
        context.delete(songs[0])
        albums[1].addObject(songs[1], toRelationship: "songs")
        try context.save()
        #expect(keys(albums[0]) == [] && keys(albums[1]) == [2])
        // Nothing is left to be saved, and the version is the one that was written.
        albums[0].setValue("empty", forKey: "title")
        try context.save()
        #expect(try versions() == [.integer(3), .integer(2)])
    }

    /// The row of an owner that the other stack owns stays as it is; history tells of the change.
    @Test(arguments: StackName.allCases)
    func anOwnerOfTheOtherStackIsNoted(stack: StackName) throws {
        try StoreCreator.create(path, model: Self.model(isOrdered: false))
        try Connection(path: path, mode: .readWrite).execute(
            """
            INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
            INSERT INTO ZSONG (Z_PK, Z_ENT, Z_OPT, Z1SONGS) VALUES (1, 2, 1, 1), (2, 2, 1, 1);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2;
            """)
        var options = BridgeOptions()
        options.seed = OwnershipSeed(defaultOwner: stack, entities: ["Album": stack.other])
        let bridge = try StoreBridge(path: path, options: options)
        defer { bridge.close() }
        let result = try bridge.instance(stack).save(ObjectBatch([.delete(song(1), expecting: nil)]))
        #expect(try versions() == [.integer(1)])
        #expect(try updates(bridge, result.transaction) == ["Album/1": ["songs"]])
    }

    /// Versions that have run out are told, and no number that is none is written instead.
    @Test(arguments: StackName.allCases, ["ZALBUM", "ZSONG"])
    func aVersionThatHasRunOutIsTold(stack: StackName, table: String) throws {
        try StoreCreator.create(path, model: Self.model(isOrdered: false))
        try Connection(path: path, mode: .readWrite).execute(
            """
            INSERT INTO ZALBUM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);
            INSERT INTO ZSONG (Z_PK, Z_ENT, Z_OPT, Z1SONGS) VALUES (1, 2, 1, 1), (2, 2, 1, 1);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2; UPDATE \(table) SET Z_OPT = 9223372036854775807 WHERE Z_PK = 1;
            """)
        let instance: any StackInstance =
            stack == .legacy ? try LegacyInstance(path: path) : try ModelInstance(path: path)
        defer { instance.close() }
        let operations: [ObjectBatch.Operation] =
            table == "ZSONG"
            ? [.update(album(1), values: songs(2), expecting: nil)] : [.delete(song(1), expecting: nil)]
        let error = #expect(throws: StoreError.self) { try instance.save(ObjectBatch(operations)) }
        #expect(error?.code == .damaged)
        #expect(error?.message.contains("versions of \(table == "ZSONG" ? "Song" : "Album")/1") == true)
        #expect(try rows(path, "SELECT typeof(Z_OPT) FROM \(table)").allSatisfy { $0 == [.text("integer")] })
        #expect(try rows(path, "SELECT count(*) FROM ZSONG WHERE Z1SONGS = 1") == [[.integer(2)]])
    }
}
