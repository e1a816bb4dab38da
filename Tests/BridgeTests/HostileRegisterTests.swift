import Bridge
import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// Numbers at their ends in our own tables and in history: whoever reads them ends with a value or a `StoreError`.
@Suite struct HostileRegisterTests {
    private static let tables = [
        "COEXIST_STATE", "COEXIST_UNIT", "COEXIST_ENTITY", "COEXIST_HANDOVER", "COEXIST_TRANSACTION",
        "COEXIST_CONSUMER", "ATRANSACTION", "ACHANGE",
    ]

    /// A store with every kind of row in these tables.
    private static func story() throws -> BridgeSample {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.guardMode = .off }
        defer { bridge.close() }
        let tag = try bridge.legacy.insert("Tag", ["name": .string("a")])
        try bridge.addConsumer("reader")
        _ = try bridge.handover("Tag", to: .model)
        try bridge.model.update(tag, ["name": .string("b")])
        _ = try bridge.handover("Tag", to: .legacy)
        try bridge.legacy.update(tag, ["name": .string("c")])
        return sample
    }

    @Test(arguments: tables, ["9223372036854775807", "-9223372036854775808", "'x'"])
    func readersOfAnyColumnEndWithAValueOrAStoreError(table: String, value: String) throws {
        let sample = try Self.story()
        let columns = try sample.rows("SELECT name FROM pragma_table_info('\(table)')").compactMap(\.[0].textValue)
        #expect(!columns.isEmpty)
        for column in columns {
            let folder = try TemporaryFolder()
            let path = folder.file("Library.sqlite")
            try FileManager.default.copyItem(atPath: sample.path, toPath: path)
            // Some columns take no such value: then nothing has changed.
            let change = try Connection(path: path, mode: .readWrite)
            try? change.execute(
                "UPDATE \(table) SET \(column) = \(value) WHERE rowid = (SELECT max(rowid) FROM \(table))")
            use(path, "\(table).\(column) = \(value)")
        }
    }

    private func use(_ path: String, _ what: String) {
        func attempt(_ body: () throws -> Void) {
            do {
                try body()
            } catch is StoreError {
                // What a hostile file deserves.
            } catch {
                Issue.record("\(what): \(type(of: error)): \(error)")
            }
        }
        attempt {
            let store = try Store.open(path)
            attempt { _ = try Audit.run(store) }
            attempt {
                try StoreConnector.translating(path) {
                    _ = try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
                }
            }
            guard !what.hasSuffix("'x'") else { return }
            let bridge = try StoreBridge(path: path)
            defer { bridge.close() }
            attempt { _ = try bridge.handover("Tag", to: .model, isDryRun: true) }
            attempt { _ = try bridge.consumers() }
            attempt { _ = try bridge.handovers() }
            attempt { _ = try bridge.replay() }
        }
    }
}
