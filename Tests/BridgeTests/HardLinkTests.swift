import Bridge
import Foundation
import LegacyStack
import ModelStack
import StoreFormat
import TestKit
import Testing

/// A store that has two names: by either, its log, lock and queue would be others.
@Suite struct HardLinkTests {
    private let sample: BridgeSample
    private let second: String

    init() throws {
        sample = try BridgeSample()
        let legacy = try LegacyInstance(path: sample.path)
        try legacy.insert("Tag", ["name": .string("a")])
        legacy.close()
        second = sample.folder.file("second.sqlite")
        try FileManager.default.linkItem(atPath: sample.path, toPath: second)
    }

    private func isRefused(_ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self, sourceLocation: location) { try body() }
        #expect(error?.code == .hardLinked, sourceLocation: location)
        #expect(error?.way.contains("coexistctl backup") == true, sourceLocation: location)
    }

    @Test func nobodyWritesItByEitherName() throws {
        let bytes = FileManager.default.contents(atPath: sample.path)
        for path in [sample.path, second] {
            isRefused { _ = try StoreBridge(path: path) }
            isRefused { _ = try LegacyInstance(path: path) }
            isRefused { _ = try ModelInstance(path: path) }
            isRefused { try Adoption.adopt(try Store.open(path), plan: Adoption.Plan()) }
        }
        #expect(FileManager.default.contents(atPath: sample.path) == bytes)
        let names = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path)
        #expect(Set(names) == ["Library.sqlite", "second.sqlite"])
    }

    @Test func itCanBeReadAndCopied() throws {
        var options = LegacyInstance.Options()
        options.isReadOnly = true
        let reader = try LegacyInstance(path: second, options: options)
        #expect(try reader.count(of: ObjectQuery(entity: "Tag")) == 1)
        reader.close()
        let copy = sample.folder.file("copy.sqlite")
        try StoreBackup.copy(second, to: copy)
        try StoreBridge(path: copy).close()
    }

    @Test func withOneNameItIsWrittenAgain() throws {
        try FileManager.default.removeItem(atPath: second)
        let bridge = try sample.open()
        try bridge.legacy.insert("Tag", ["name": .string("b")])
        bridge.close()
    }
}
