import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import TestKit
import Testing

/// Deletes whose rules reach the other stack's rows, forwarded to it.
@Suite struct ForwardedDeleteTests {
    private func delete(_ object: ObjectReference, _ instance: any StackInstance) throws -> Int64? {
        try instance.save(ObjectBatch([.delete(object, expecting: nil)])).transaction
    }

    @Test("one commit, two transactions: the owner's part first, and it names its cause", arguments: StackName.allCases)
    func parts(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        let track = try sample.make(bridge, "Track", ["album": album])
        let review = try sample.make(bridge, "Review", ["album": album])
        try bridge.replay()
        let owner = bridge.instance(stack.other)
        #expect(try owner.object(track, isFresh: false) != nil)
        #expect(try owner.object(review, isFresh: false)?.version == 1)
        let commits = try sample.rows("SELECT COMMITS FROM COEXIST_STATE")[0][0].integerValue ?? 0

        let number = try #require(try delete(album, bridge.instance(stack)))

        #expect(try sample.rows("SELECT COMMITS FROM COEXIST_STATE") == [[.integer(commits + 1)]])
        #expect(
            try sample.record() == [
                [
                    .integer(number - 1), .text(stack.other.rawValue), .text(owner.instanceName),
                    .text("Review=1\nTrack=1"), .integer(number),
                ],
                [
                    .integer(number), .text(stack.rawValue), .text(bridge.instance(stack).instanceName),
                    .text("Album=1"), .null,
                ],
            ])
        // 1 is an update, 2 a delete.
        #expect(
            try sample.rows(
                "SELECT ZTRANSACTIONID, ZCHANGETYPE, Z_NAME FROM ACHANGE c JOIN Z_PRIMARYKEY p ON p.Z_ENT = ZENTITY "
                    + "WHERE ZTRANSACTIONID >= \(number - 1) ORDER BY c.Z_PK") == [
                    [.integer(number - 1), .integer(2), .text("Track")],
                    [.integer(number - 1), .integer(1), .text("Review")],
                    [.integer(number), .integer(2), .text("Album")],
                ])
        #expect(try sample.count("Album") == 0 && sample.count("Track") == 0)
        #expect(try sample.rows("SELECT ZALBUM, Z_OPT FROM ZREVIEW") == [[.null, .integer(2)]])

        // The owner learns of what was written in its name, though its own name stands there.
        try bridge.replay()
        #expect(try owner.object(track, isFresh: false) == nil)
        #expect(try owner.object(review, isFresh: false)?.relationships["album"] == .toOne(nil))
        #expect(try bridge.instance(stack).object(review, isFresh: false)?.version == 2)
        #expect(bridge.counts.forwardedDeletes == [stack: 1])
        #expect(bridge.deleteForwarding.pending == 0)
        #expect(try sample.faults() == [])
        // And goes on to write.
        try owner.update(review, ["name": .string("later")])
        #expect(try sample.faults() == [])
    }

    @Test("a chain that crosses twice, and a cycle back to the start", arguments: StackName.allCases)
    func chain(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        let other = try sample.make(bridge, "Album")
        let shelf = try sample.make(bridge, "Shelf")
        let track = try sample.make(bridge, "Track", ["album": album, "shelf": shelf])
        let note = try sample.make(bridge, "Note", ["track": track])
        _ = try sample.make(bridge, "Mark", ["note": note, "home": album])
        _ = try sample.make(bridge, "Mark", ["note": note, "home": other])
        let last = try sample.make(bridge, "Track", ["album": other])
        _ = try sample.make(bridge, "Track")

        let number = try #require(try delete(album, bridge.instance(stack)))

        // The second mark's home goes too, and its track with it; the shelf and the track without an album stay.
        #expect(try sample.count("Album") == 0 && sample.count("Note") == 0 && sample.count("Mark") == 0)
        #expect(try sample.rows("SELECT ZALBUM FROM ZTRACK") == [[.null]])
        #expect(try sample.count("Shelf") == 1)
        #expect(try bridge.instance(stack.other).object(last, isFresh: true) == nil)
        let record = try sample.record()
        #expect(record.map { $0[1] } == [.text(stack.other.rawValue), .text(stack.rawValue)])
        #expect(record.map { $0[4] } == [.integer(number), .null])
        #expect(try sample.faults() == [])
    }

    @Test("a rule of the other stack's entity that denies refuses by name", arguments: StackName.allCases)
    func denied(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        let track = try sample.make(bridge, "Track", ["album": album])
        _ = try sample.make(bridge, "Award", ["track": track])
        let before = try sample.record()
        let error = #expect(throws: StoreError.self) { try delete(album, bridge.instance(stack)) }
        #expect(error?.code == .deleteDenied)
        #expect(error?.objects.map(\.object) == [track])
        #expect(try sample.record() == before)
        #expect(bridge.deleteForwarding.pending == 0)
    }

    @Test("pairs of a many-to-many and a key without an inverse", arguments: StackName.allCases)
    func pairsAndKeys(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        let player = try sample.make(bridge, "Player", ["last": album])
        let genre = try sample.make(bridge, "Genre")
        let unit = try #require(try bridge.register()?.unitOfJoinTable.values.first)
        let owner = try bridge.unit(of: unit).owner
        _ = try bridge.instance(owner).save(
            ObjectBatch([
                owner == stack
                    ? .update(album, values: ["genres": .toMany([.existing(genre)])], expecting: nil)
                    : .update(genre, values: ["albums": .toMany([.existing(album)])], expecting: nil)
            ]))
        try bridge.replay()

        let number = try #require(try delete(album, bridge.instance(stack)))

        // The pair went with its object; only the player's row is the owner's part.
        #expect(try sample.record()[0][3] == .text("Player=1"))
        #expect(try sample.record()[0][4] == .integer(number))
        #expect(try sample.rows("SELECT ZLAST, Z_OPT FROM ZPLAYER") == [[.null, .integer(2)]])
        let table = try #require(try bridge.register()?.unitOfJoinTable.keys.first)
        #expect(try sample.rows("SELECT count(*) FROM \(table)") == [[.integer(0)]])
        try bridge.replay()
        for each in StackName.allCases {
            #expect(try bridge.instance(each).object(player, isFresh: false)?.relationships["last"] == .toOne(nil))
            #expect(try bridge.instance(each).object(genre, isFresh: false)?.relationships["albums"] == .toMany([]))
        }
        #expect(try sample.faults() == [])
    }

    @Test("refused where it is not asked for, naming every row and its owner", arguments: StackName.allCases)
    func refused(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open(forwards: false)
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        let reached = [
            try sample.make(bridge, "Track", ["album": album]), try sample.make(bridge, "Review", ["album": album]),
        ]
        try bridge.replay()
        let error = #expect(throws: StoreError.self) { try delete(album, bridge.instance(stack)) }
        #expect(error?.code == .crossStackDelete)
        #expect(Set(error?.objects.map(\.object) ?? []) == Set(reached))
        #expect(error?.objects.allSatisfy { $0.owner == stack.other && $0.epoch == 1 } == true)
        for object in reached { #expect(error?.message.contains("\(object)") == true) }
        #expect(error?.way.contains("crossStackDeletes") == true)
        // Only what a cascade reaches would be deleted; the rest is to be let go of.
        #expect(error?.objects.map(\.relationship) == ["Album.tracks", "Album.reviews"])
        #expect(error?.objects.map(\.rule) == ["cascade", "nullify"])
        #expect(
            error?.way.hasPrefix(
                "delete Track/1 (`coexistctl delete Track/1`), "
                    + "clear album of Review/1 (`coexistctl update Review/1 album:=null`) through the "
                    + "\(stack.other.rawValue) stack first, or") == true, "\(error?.way ?? "")")
        #expect(try sample.count("Album") == 1 && sample.count("Track") == 1)
        // A change of the configuration takes effect at once.
        bridge.forwardDeletes(true)
        #expect(try delete(album, bridge.instance(stack)) != nil)
        #expect(try sample.faults() == [])
    }

    @Test("only rules are forwarded: what the program itself writes of the owner's rows is refused")
    func ownChanges() throws {
        for stack in StackName.allCases {
            let sample = try Discography(deleting: stack)
            let bridge = try sample.open()
            defer { bridge.close() }
            let album = try sample.make(bridge, "Album")
            let track = try sample.make(bridge, "Track", ["album": album])
            let review = try sample.make(bridge, "Review", ["album": album])
            try bridge.replay()
            for wrong: ObjectBatch.Operation in [
                .delete(track, expecting: nil),
                .update(review, values: ["name": .attribute(.string("x"))], expecting: nil),
            ] {
                let error = #expect(throws: StoreError.self) {
                    try bridge.instance(stack).save(ObjectBatch([wrong, .delete(album, expecting: nil)]))
                }
                #expect(error?.code == .ownershipViolation)
            }
            #expect(try sample.count("Album") == 1 && sample.count("Track") == 1)
        }
    }

    @Test("a frozen owner's rows are left alone", arguments: StackName.allCases)
    func frozen(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        let track = try sample.make(bridge, "Track", ["album": album])
        try bridge.replay()
        try bridge.freeze("Track")
        let error = #expect(throws: StoreError.self) { try delete(album, bridge.instance(stack)) }
        #expect(error?.code == .frozen)
        #expect(error?.objects.map(\.object) == [track])
        try bridge.thaw("Track")
        #expect(try delete(album, bridge.instance(stack)) != nil)
        #expect(try sample.faults() == [])
    }

    @Test("after a handover the new owner writes its part at its new epoch", arguments: StackName.allCases)
    func afterHandover(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        defer { bridge.close() }
        _ = try bridge.handover("Track", to: stack)
        let album = try sample.make(bridge, "Album")
        _ = try sample.make(bridge, "Track", ["album": album])
        _ = try bridge.handover("Track", to: stack.other)
        #expect(try delete(album, bridge.instance(stack)) != nil)
        #expect(try sample.record()[0][3] == .text("Track=3"))
        #expect(try sample.faults() == [])
    }

    @Test("an embedded stack forwards to an owner in its process, and refuses without", arguments: StackName.allCases)
    func embedded(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        let album = try sample.make(bridge, "Album")
        _ = try sample.make(bridge, "Track", ["album": album])
        defer { bridge.close() }
        func open(_ stack: StackName) throws -> any StackInstance {
            stack == .legacy ? try LegacyInstance(path: sample.path) : try ModelInstance(path: sample.path)
        }
        let deleter = try open(stack)
        defer { deleter.close() }
        let error = #expect(throws: StoreError.self) { try delete(album, deleter) }
        #expect(error?.code == .crossStackDelete)
        #expect(error?.way.contains("forwardDeletes(to:)") == true)

        #expect(throws: StoreError.self) { try deleter.forwardDeletes(to: deleter) }
        do {
            let gone = try open(stack.other)
            try deleter.forwardDeletes(to: gone)
            gone.close()
        }
        let alone = #expect(throws: StoreError.self) { try delete(album, deleter) }
        #expect(alone?.code == .crossStackDelete)

        let owner = try open(stack.other)
        defer { owner.close() }
        try deleter.forwardDeletes(to: owner)
        #expect(try delete(album, deleter) != nil)
        #expect(try sample.record()[0][2] == .text(owner.instanceName))
        // The daemon's stacks learn of both parts.
        try bridge.replay()
        for each in StackName.allCases {
            #expect(try bridge.instance(each).count(of: ObjectQuery(entity: "Track")) == 0)
        }
        #expect(try sample.faults() == [])
    }

    @Test("a row that its owner changed meanwhile is not deleted in its name: a context is told of the conflict")
    func conflict() throws {
        let sample = try Discography(deleting: .legacy)
        let bridge = try sample.open()
        defer { bridge.close() }
        let album = try sample.make(bridge, "Album")
        let track = try sample.make(bridge, "Track", ["album": album])
        let legacy = try #require(bridge.legacy as? LegacyInstance)
        try bridge.replay()
        let context = legacy.newContext()
        context.mergePolicy = .overwrite
        let object = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Album")).first)
        context.delete(object)
        // Held back from the context, as a commit in another process would be.
        let other = try ModelInstance(path: sample.path)
        defer { other.close() }
        try other.update(track, ["name": .string("changed")])
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .versionConflict)
        #expect(error?.objects.map(\.object) == [track])
        #expect(try sample.count("Album") == 1 && sample.count("Track") == 1)
        #expect(context.deletedObjects.count == 2)
    }
}
