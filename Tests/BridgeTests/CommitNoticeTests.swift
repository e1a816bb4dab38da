import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import StoreModel
import Synchronization
import TestKit
import Testing

/// What a commit tells those in its process is what it wrote to history, or nothing at all: who is told reads no history.
@Suite struct CommitNoticeTests {
    private final class Notices: Sendable {
        private let all = Mutex<[CommitNotice]>([])
        var last: CommitNotice? { all.withLock { $0.last } }

        init(of instance: any StackInstance) {
            instance.setCommitHandler { notice in self.all.withLock { $0.append(notice) } }
        }
    }

    private func open(_ stack: StackName, _ path: String) throws -> any StackInstance {
        stack == .legacy ? try LegacyInstance(path: path) : try ModelInstance(path: path)
    }

    private func written(_ instance: any StackInstance, _ number: Int64) throws -> HistoryTransaction? {
        let reader = HistoryReader(try StoreConnector.connect(instance.store.path, .reader), store: instance.store)
        return try reader.transactions(after: number - 1, limit: 1).first
    }

    @Test(arguments: StackName.allCases) func ofALargeOneNothingIsTold(stack: StackName) throws {
        let sample = try BridgeSample()
        let instance = try open(stack, sample.path)
        defer { instance.close() }
        let notices = Notices(of: instance)
        for count in [1, 20, 1_000] {
            let names = (0..<count).map { "\(count)-\($0)" }
            _ = try instance.save(
                ObjectBatch(
                    names.map { .insert(entity: "Tag", name: $0, values: ["name": .attribute(.string($0))]) }))
            let notice = try #require(notices.last)
            let written = try written(instance, notice.transaction)
            #expect(written?.changes.count == count)
            #expect(notice.history?.changes == (count == 1_000 ? nil : written?.changes))
        }
    }

    /// A change row is completed after it was written: the key of a deleted object is cleared in a row that changes anyway.
    @Test(arguments: StackName.allCases) func nothingIsToldOfARowAsItWasBefore(stack: StackName) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s.sqlite")
        let model = Short.model(
            Short.entity("Place", [Short.attribute("name")]),
            Short.entity("Visit", [Short.attribute("note")], [Short.toOne("place", "Place")]))
        try StoreCreator.create(path, model: model)
        let instance = try open(stack, path)
        defer { instance.close() }
        let notices = Notices(of: instance)
        let place = try instance.insert("Place", ["name": .string("Belém")])
        let made = try instance.save(
            ObjectBatch([.insert(entity: "Visit", name: "v", values: ["place": .toOne(.existing(place))])]))
        let visit = try #require(made.objects["v"])
        _ = try instance.save(
            ObjectBatch([
                .update(visit, values: ["note": .attribute(.string("gone"))], expecting: nil),
                .delete(place, expecting: nil),
            ]))
        let notice = try #require(notices.last)
        let changes = try written(instance, notice.transaction)?.changes ?? []
        #expect(changes.first { $0.object == visit }?.properties == ["note", "place"])
        let told = notice.history?.changes.first { $0.object == visit }
        #expect(told == nil || told?.properties == ["note", "place"])
    }

    /// Half of a forwarded delete would be taken for the whole of it.
    @Test(arguments: StackName.allCases) func ofADeleteInTwoPartsNothingIsTold(stack: StackName) throws {
        let sample = try Discography(deleting: stack)
        let bridge = try sample.open()
        let album = try sample.make(bridge, "Album")
        _ = try sample.make(bridge, "Track", ["album": album])
        bridge.close()
        let (deleter, owner) = (try open(stack, sample.path), try open(stack.other, sample.path))
        defer { for instance in [deleter, owner] { instance.close() } }
        try deleter.forwardDeletes(to: owner)
        let notices = Notices(of: deleter)
        _ = try deleter.save(ObjectBatch([.delete(album, expecting: nil)]))
        let notice = try #require(notices.last)
        #expect(notice.forwarded == notice.transaction - 1)
        #expect(notice.history == nil)
    }
}
