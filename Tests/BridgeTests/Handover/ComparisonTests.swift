import Bridge
import Foundation
import LegacyStack
import StoreFormat
import Synchronization
import TestKit
import Testing

@Suite struct ComparisonTests {
    @Test func bothValuesOfEachDifferenceAreGiven() throws {
        let sample = try BridgeSample()
        let (bridge, model) = try sample.openTampered()
        defer { bridge.close() }
        let tags = try (0..<3).map { try bridge.legacy.insert("Tag", ["name": .string("tag \($0)")]) }
        #expect(try bridge.compare("Tag") == Comparison.Result(rows: 3))

        model.tamper { record in
            var record = record
            if record.reference == tags[0] { return nil }
            if record.reference == tags[2] {
                record.values["name"] = .some(.string("another"))
                record.relationships["books"] = .toMany([ObjectReference(entity: "Book", key: 9)])
                record.version = 7
            }
            return record
        }
        let result = try bridge.compare("Tag")
        #expect(result.rows == 3)
        #expect(result.differing == 2)
        #expect(
            result.differences == [
                .init(object: tags[0], property: nil, legacy: .object, model: .noObject),
                .init(object: tags[2], property: "version", legacy: .version(1), model: .version(7)),
                .init(
                    object: tags[2], property: "name", legacy: .value(.string("tag 2")),
                    model: .value(.string("another"))
                ),
                .init(
                    object: tags[2], property: "books", legacy: .relationship(.toMany([])),
                    model: .relationship(.toMany([ObjectReference(entity: "Book", key: 9)]))),
            ])
    }

    /// More objects than a batch holds, with keys that have gaps, and a fault in the first, a middle and the last batch.
    @Test func everyObjectOfManyBatchesIsCompared() throws {
        let sample = try BridgeSample()
        let (bridge, model) = try sample.openTampered()
        defer { bridge.close() }
        let count = 1_700
        _ = try bridge.legacy.save(
            ObjectBatch(
                (1...count).map {
                    .insert(entity: "Tag", name: "\($0)", values: ["name": .attribute(.string("\($0)"))])
                }))
        _ = try bridge.legacy.save(
            ObjectBatch([3, 500, 501, 999].map { .delete(ObjectReference(entity: "Tag", key: $0), expecting: nil) }))
        var seen: [Comparison.Progress] = []
        #expect(try bridge.compare("Tag") { seen.append($0) } == Comparison.Result(rows: count - 4))
        #expect(seen.count > 3 && seen.map(\.done) == seen.map(\.done).sorted())
        #expect(seen.last == seen.last.map { _ in Comparison.Progress(done: count - 4, total: count - 4) })

        let wrong: Set<Int64> = [1, 502, 1_000, 1_700]
        model.tamper { record in
            var record = record
            if wrong.contains(record.reference.key) { record.version += 1 }
            return record
        }
        let result = try bridge.compare("Tag")
        #expect(result.differences.map(\.object.key) == wrong.sorted())
        #expect(result.rows == count - 4)
    }

    @Test func whatOnlyOneStackHasIsFoundWhicheverItIs() throws {
        let sample = try BridgeSample()
        let (bridge, model) = try sample.openTampered()
        defer { bridge.close() }
        for i in 0..<5 { try bridge.legacy.insert("Tag", ["name": .string("\(i)")]) }
        model.tamper { _ in nil }
        let result = try bridge.compare("Tag")
        #expect(result.rows == 5 && result.differing == 5)
        #expect(Set(result.differences.map(\.model)) == [.noObject])
    }

    @Test func subentitiesAreComparedWithTheirParent() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        try bridge.legacy.insert("Author", ["name": .string("a")])
        try bridge.legacy.insert("Member", ["name": .string("b")])
        #expect(try bridge.compare("Person").rows == 2)
        #expect(try bridge.compare("Author").rows == 1)
        #expect(throws: StoreError.self) { try bridge.compare("Persn") }
    }

    @Test func aSampleIsOfAtMostSoManyObjects() throws {
        let sample = try BridgeSample()
        let (bridge, model) = try sample.openTampered()
        defer { bridge.close() }
        for i in 0..<20 { try bridge.legacy.insert("Tag", ["name": .string("\(i)")]) }
        #expect(try bridge.compare("Tag", sample: 7).rows == 7)
        #expect(try bridge.compare("Tag", sample: 100).rows == 20)
        model.tamper { record in
            var record = record
            record.version += 1
            return record
        }
        #expect(try bridge.compare("Tag", sample: 7).differing == 7)
    }

    /// A commit between the reads of an object is no difference, however often it comes.
    @Test func anObjectThatChangesBetweenTheReadsIsNoDifference() throws {
        let sample = try BridgeSample()
        let (bridge, model) = try sample.openTampered()
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("0")])
        let legacy = bridge.legacy
        let changes = Mutex(0)
        model.beforeEachRead {
            // The legacy stack has read; before the model stack reads, the object changes: in the batch and at each of the
            // three looks after it. Then the comparison keeps writers out.
            let number = changes.withLock { count in
                count += 1
                return count
            }
            if number <= 4 { try legacy.update(tag, ["name": .string("\(number)")]) }
        }
        #expect(try bridge.compare("Tag") == Comparison.Result(rows: 1))
        #expect(changes.withLock { $0 } == 5)
    }

    @Test func writersGoOnWhileObjectsAreCompared() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        let tags = try (0..<50).map { try bridge.legacy.insert("Tag", ["name": .string("tag \($0)")]) }
        let isDone = Mutex(false)
        let saves = Mutex(0)
        let finished = DispatchSemaphore(value: 0)
        let legacy = bridge.legacy
        Thread.detachNewThread {
            while !isDone.withLock({ $0 }) {
                let tag = tags[saves.withLock { $0 } % tags.count]
                guard (try? legacy.update(tag, ["name": .string(UUID().uuidString)])) != nil else { break }
                saves.withLock { $0 += 1 }
            }
            finished.signal()
        }
        var before = -1
        for _ in 0..<20 {
            let result = try bridge.compare("Tag")
            #expect(result == Comparison.Result(rows: 50))
            let now = saves.withLock { $0 }
            #expect(now >= before)
            before = now
        }
        isDone.withLock { $0 = true }
        finished.wait()
        #expect(saves.withLock { $0 } > 0)
    }
}
