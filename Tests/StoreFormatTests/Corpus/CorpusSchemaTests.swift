import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

@Suite(Corpus.condition)
struct CorpusSchemaTests {
    @Test("a created store has the tables, indexes and triggers of a real one, text by text", arguments: Corpus.stores)
    func parity(_ name: String) throws {
        let folder = try TemporaryFolder()
        guard let store = try Corpus.open(name, in: folder) else { return }
        let real = try Self.statements(StoreConnector.offlineReader(store.path))
        let made = Set(SchemaPlan(store.model).statements.map { $0.filter { !$0.isWhitespace } })
        print("\(name) fw \(store.metadata.frameworkVersion ?? 0): \(real.count) real, missing \(real.subtracting(made).count), extra \(made.subtracting(real).count)")
        for x in real.subtracting(made).sorted().filter { !$0.contains("ATRANSACTION") && !$0.contains("ACHANGE") && !$0.contains("TRIGGERZT_") }.prefix(60) { print("   - \(x.prefix(330))") }
        for x in made.subtracting(real).sorted().filter { !$0.contains("ATRANSACTION") && !$0.contains("ACHANGE") && !$0.contains("TRIGGERZT_") }.prefix(60) { print("   + \(x.prefix(330))") }
    }

    static func statements(_ connection: Connection) throws -> Set<String> {
        let rows = try connection.query(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'Z\\_RT\\_%\\_node' ESCAPE '\\'")
        return Set(rows.compactMap { $0[0].textValue?.filter { !$0.isWhitespace } })
    }
}
