import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// A store whose files are taken away while it is open for writing.
@Suite struct StorePlaceTests {
    private let sample: SampleStore
    private var path: String { sample.path }

    init() throws {
        sample = try SampleStore()
        try sample.insert("Tag", ["name": .string("before")])
    }

    private func expectRefusal(_ location: SourceLocation = #_sourceLocation) {
        let error = expectStoreError(.storeReplaced, location) {
            try sample.insert("Tag", ["name": .string("after")])
        }
        #expect(error?.message.contains(path) == true, sourceLocation: location)
    }

    private var isUnchanged: Bool {
        get throws { try sample.scalar("SELECT group_concat(ZNAME) FROM ZTAG") == .text("before") }
    }

    @Test("removed: the save is refused, nothing is written to the orphan, and no file is made")
    func removed() throws {
        try FileManager.default.removeItem(atPath: path)
        expectRefusal()
        #expect(try isUnchanged)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("renamed")
    func renamed() throws {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        expectRefusal()
        #expect(try isUnchanged)
    }

    @Test("replaced by another store: the save is refused, and the other store stays as it is")
    func replaced() throws {
        let other = try SampleStore()
        _ = try other.connection.checkpoint(.truncate)
        let bytes = try #require(FileManager.default.contents(atPath: other.path))
        try bytes.write(to: URL(fileURLWithPath: path + ".new"))
        #expect(rename(path + ".new", path) == 0)
        expectRefusal()
        #expect(try isUnchanged)
        #expect(FileManager.default.contents(atPath: path) == bytes)
    }

    @Test("a link that is led elsewhere")
    func relinked() throws {
        let other = try SampleStore()
        let link = sample.folder.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        let writer = try StoreWriter(store: try Store.open(link))
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: other.path)
        expectStoreError(.storeReplaced) {
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) {
                try SampleStore.insert("Tag", ["name": .string("after")], in: $0)
            }
        }
        #expect(try isUnchanged)
        #expect(try other.count("ZTAG") == 0)
    }

    @Test("the log or its index removed or replaced", arguments: ["-wal", "-shm"], [false, true])
    func sidecar(suffix: String, isReplaced: Bool) throws {
        try FileManager.default.removeItem(atPath: path + suffix)
        if isReplaced { try Data().write(to: URL(fileURLWithPath: path + suffix)) }
        expectRefusal()
        #expect(try isUnchanged)
    }

    @Test("replaced in the middle of a save: it is refused before its commit")
    func inTheMiddle() throws {
        expectStoreError(.storeReplaced) {
            try sample.save { save in
                try SampleStore.insert("Tag", ["name": .string("after")], in: save)
                try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            }
        }
        #expect(try isUnchanged)
    }

    @Test("put back, it is written again")
    func putBack() throws {
        try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
        expectRefusal()
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
        try sample.insert("Tag", ["name": .string("after")])
        try sample.expectSound()
    }

    @Test("commits in a log that was removed are moved into the store by who watches it")
    func rescue() throws {
        let counts = try CommitCounts(store: sample.store)
        _ = counts.look()
        try FileManager.default.removeItem(atPath: path + "-wal")
        guard case .failed(let error)? = counts.look() else {
            Issue.record("the watcher noticed nothing")
            return
        }
        #expect(error.code == .storeReplaced)
        // What the file alone says now.
        let copy = sample.folder.file("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        #expect(try StoreConnector.offlineReader(copy).scalar("SELECT ZNAME FROM ZTAG") == .text("before"))
        #expect(counts.look() == nil)
    }

    @Test("a damaged page: what was met is remembered, and writes are refused from then on")
    func damage() throws {
        let root = try #require(
            try sample.scalar("SELECT rootpage FROM sqlite_master WHERE name = 'ZCARD'")?.integerValue)
        _ = try sample.connection.checkpoint(.truncate)
        let file = try #require(
            FileHandle(forUpdatingAtPath: path + ".damaged")
                ?? { () -> FileHandle? in
                    try? FileManager.default.copyItem(atPath: path, toPath: path + ".damaged")
                    return FileHandle(forUpdatingAtPath: path + ".damaged")
                }())
        try file.seek(toOffset: UInt64(root - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: 4096))
        try file.close()
        let store = try Store.open(path + ".damaged")
        #expect(try StoreHealth.examine(store.path, checksIndexes: false)?.code == .damaged)
        let writer = try StoreWriter(store: store)
        func insert(_ entity: String) throws {
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) {
                try SampleStore.insert(
                    entity, entity == "Tag" ? ["name": .string("x")] : ["number": .integer(1)], in: $0)
            }
        }
        try insert("Tag")
        expectStoreError(.damaged) { try insert("Card") }
        // Not only where the damage is.
        let error = expectStoreError(.damaged) { try insert("Tag") }
        #expect(error?.message.contains("is not written any more") == true)
        #expect(try writer.connection.scalar("SELECT count(*) FROM ZTAG") == .integer(2))
    }

    @Test("the log or its index removed in the middle of a writer's first save", arguments: ["-wal", "-shm"])
    func sidecarInTheMiddle(suffix: String) throws {
        let writer = try StoreWriter(store: try Store.open(path))
        expectStoreError(.storeReplaced) {
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
                try SampleStore.insert("Tag", ["name": .string("after")], in: save)
                try FileManager.default.removeItem(atPath: path + suffix)
            }
        }
        #expect(try isUnchanged)
    }
}
