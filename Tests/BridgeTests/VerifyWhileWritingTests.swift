import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

/// A store is checked in one snapshot; external files follow what was committed since.
@Suite struct VerifyWhileWritingTests {
    @Test func aFileThatALaterSaveReplacedIsNotMissing() throws {
        let sample = try BridgeSample()
        let bridge = try sample.open()
        defer { bridge.close() }
        func cover(_ byte: UInt8) -> AttributeValue { .data(Data(repeating: byte, count: 200_000)) }
        let book = try bridge.legacy.insert("Book", ["title": .string("Dune"), "cover": cover(1)])
        let store = bridge.store
        let reader = try StoreConnector.connect(sample.path, .reader)
        try reader.transaction(.deferred) {
            _ = try reader.scalar("SELECT count(*) FROM ZBOOK")
            try bridge.legacy.update(book, ["cover": cover(2)])
            // The new file is named by no row of this snapshot, and is not taken for one that is left over.
            #expect(try StoreVerifier.verify(reader, store: store).map(\.rule) == ["external-young"])
        }
        // One that is missing in truth is found, with a daemon too.
        let folder = store.externalData.folder
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        let found = try bridge.read { try StoreVerifier.verify($0, store: store) }
        #expect(found.map(\.rule) == ["external-file"])
        #expect(found.map(\.place) == ["ZBOOK 1.cover"])
    }
}
