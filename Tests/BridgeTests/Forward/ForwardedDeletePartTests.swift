import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Forwarded deletes of which one part is not as usual: it has keys of its own to clear, its owner is behind, or nothing is
/// left to write.
@Suite struct ForwardedDeletePartTests {
    private func delete(_ object: ObjectReference, _ instance: any StackInstance) throws -> Int64? {
        try instance.save(ObjectBatch([.delete(object, expecting: nil)])).transaction
    }

    @Test("keys without an inverse in rows of both stacks: each clears its own", arguments: StackName.allCases)
    func keysOfBoth(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        _ = try sample.make(bridge, "Player", ["last": album])
        _ = try sample.make(bridge, "Shelf", ["best": album])
        #expect(try delete(album, bridge.instance(stack)) != nil)
        #expect(try sample.rows("SELECT ZLAST, Z_OPT FROM ZPLAYER") == [[.null, .integer(2)]])
        #expect(try sample.rows("SELECT ZBEST, Z_OPT FROM ZSHELF") == [[.null, .integer(2)]])
        #expect(try sample.record().map { $0[3] } == [.text("Player=1"), .text("Album=1\nShelf=1")])
        #expect(try sample.faults() == [])
    }

    @Test("an owner that slept through the switch in its favour replays first", arguments: StackName.allCases)
    func ownerBehindASwitch(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        _ = try bridge.handover("Track", to: stack)
        func open(_ stack: StackName) throws -> any StackInstance {
            stack == .legacy ? try LegacyInstance(path: sample.path) : try ModelInstance(path: sample.path)
        }
        let (deleter, owner) = (try open(stack), try open(stack.other))
        defer { for instance in [deleter, owner] { instance.close() } }
        try deleter.forwardDeletes(to: owner)
        let album = try sample.make(bridge, "Album")
        _ = try sample.make(bridge, "Track", ["album": album])
        _ = try bridge.handover("Track", to: stack.other)
        #expect(owner.position == 0)
        #expect(try delete(album, deleter) != nil)
        #expect(owner.position == 2)
        #expect(try sample.record()[0][3] == .text("Track=3"))
        #expect(try sample.faults() == [])
    }

    @Test("where only the owner's part is left to write, nothing is: the object itself is gone")
    func goneAlready() throws {
        let sample = try Discography(deleting: .legacy)
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        _ = try sample.make(bridge, "Track", ["album": album])
        try bridge.replay()
        let context = try #require(bridge.legacy as? LegacyInstance).newContext()
        let object = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Album")).first)
        context.delete(object)
        #expect(context.deletedObjects.count == 2)
        try Connection(path: sample.path, mode: .readWrite).execute("DELETE FROM ZALBUM")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .versionConflict)
        #expect(try sample.count("Track") == 1)
        #expect(context.hasChanges)
    }
}
