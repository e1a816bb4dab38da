import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import Synchronization
import TestKit
import Testing

/// A row that was read or written before somebody else's commit does not come into a cache after that commit has been
/// replayed: nothing would drop it any more.
@Suite struct CacheRaceTests {
    private func open(_ stack: StackName, _ path: String) throws -> any StackInstance {
        stack == .legacy ? try LegacyInstance(path: path) : try ModelInstance(path: path)
    }

    /// Somebody else writes the same row, and it is replayed, when a save has committed and has not told its cache yet.
    @Test(arguments: StackName.allCases) func aSavesOwnRowsThatSomebodyHasWrittenAgainAreReadAnew(
        stack: StackName
    ) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        let album = try sample.make(bridge, "Album")
        let kept = try sample.make(bridge, "Album")
        _ = try sample.make(bridge, "Track", ["album": album])
        bridge.close()
        let (writer, other) = (try open(stack, sample.path), try open(stack, sample.path))
        let owner = try open(stack.other, sample.path)
        defer { for instance in [writer, other, owner] { instance.close() } }
        #expect(try writer.value(kept, "name") == .string("Album"))
        let reached = Mutex(0)
        // The one point between a commit and the end of its save that can be watched is that of a forwarded delete.
        writer.setDeleteForwarding(
            DeleteForwarding(to: owner) { [unowned writer, unowned other] moment in
                guard moment == .committed else { return }
                reached.withLock { $0 += 1 }
                _ = try? other.update(kept, ["name": .string("later")])
                try? writer.replay()
            })
        _ = try writer.save(
            ObjectBatch([
                .update(kept, values: ["name": .attribute(.string("mine"))], expecting: nil),
                .delete(album, expecting: nil),
            ]))
        #expect(reached.withLock { $0 } == 1)
        #expect(try writer.value(kept, "name") == .string("later"))
        #expect(try sample.rows("SELECT ZNAME FROM ZALBUM") == [["later"]])
    }

    /// The same amid a fetch, between the row that is written and the next.
    @Test func aRowThatAFetchHasPassedIsReadAnew() throws {
        let sample = try BridgeSample()
        let (reader, writer) = (try LegacyInstance(path: sample.path), try LegacyInstance(path: sample.path))
        defer { for instance in [reader, writer] { instance.close() } }
        let first = try writer.insert("Tag", ["name": .string("a")])
        try writer.insert("Tag", ["name": .string("b")])
        try reader.replay()
        let made = Mutex(0)
        WatchedTag.made.withLock { body in
            body = { [unowned reader, unowned writer] in
                let count = made.withLock { count in
                    count += 1
                    return count
                }
                guard count == 2 else { return }
                _ = try? writer.update(first, ["name": .string("later")])
                try? reader.replay()
            }
        }
        defer { WatchedTag.made.withLock { $0 = {} } }
        let request = NSFetchRequest<WatchedTag>(entityName: "Tag")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let context = reader.newContext()
        let tags = try context.fetch(request)
        #expect(made.withLock { $0 } == 2)
        #expect(tags.map { $0.value(forKey: "name") as? String } == ["later", "b"])
        #expect(try reader.value(first, "name") == .string("later"))
    }

    /// The same in the model stack, where nothing is called amid a fetch: one of many rows is on its way when the first is
    /// written, and several are made.
    @Test func rowsThatAFetchHasPassedAreReadAnew() throws {
        let sample = try BridgeSample()
        let (reader, writer) = (try ModelInstance(path: sample.path), try LegacyInstance(path: sample.path))
        defer { for instance in [reader, writer] as [any StackInstance] { instance.close() } }
        let first = try writer.insert("Author", ["name": .string("0")])
        try sample.foreign(
            """
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZNAME) SELECT i, (SELECT Z_ENT FROM ZPERSON), 1, 'a' FROM n
            """)
        for round in 1...5 {
            let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                begun.signal()
                _ = try? reader.objects(matching: ObjectQuery(entity: "Author"))
                ended.signal()
            }
            begun.wait()
            try writer.update(first, ["name": .string("\(round)")])
            try reader.replay()
            ended.wait()
            #expect(try reader.value(first, "name") == .string("\(round)"))
        }
    }
}

/// Tells of each object that is made.
private final class WatchedTag: NSManagedObject {
    static let made = Mutex<@Sendable () -> Void>({})

    required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        super.init(entity: entity, insertInto: context)
        let body = Self.made.withLock { $0 }
        body()
    }
}
