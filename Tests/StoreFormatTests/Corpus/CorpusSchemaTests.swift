import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite(Corpus.condition)
struct CorpusSchemaTests {
    @Test("a created store has the tables, indexes and triggers of a real one, text by text", arguments: Corpus.names)
    func parity(_ name: String) throws {
        let folder = try TemporaryFolder()
        guard let store = try Corpus.open(name, in: folder) else { return }
        let real = try Self.statements(StoreConnector.offlineReader(store.path))
        let path = folder.file("created.sqlite")
        try StoreCreator.create(path, model: store.model, isTracked: store.historyForm.isTracked)
        let made = try Self.statements(StoreConnector.offlineReader(path))

        let known = SchemaDeviation.of(name)
        let (onlyReal, onlyMade) = (real.subtracting(made), made.subtracting(real))
        #expect(onlyReal.filter { !known.onlyReal.matches($0) } == [])
        #expect(onlyMade.filter { !known.onlyMade.matches($0) } == [])
        // What the table of differences lists must still differ.
        for prefix in known.onlyReal { #expect(onlyReal.contains { $0.hasPrefix(prefix) }, "\(prefix)") }
        for prefix in known.onlyMade { #expect(onlyMade.contains { $0.hasPrefix(prefix) }, "\(prefix)") }
    }

    @Test("an R*Tree index has Core Data's table and triggers")
    func spatialIndex() throws {
        let folder = try TemporaryFolder()
        let name = try #require(Corpus.names.first { $0.hasPrefix("14_") })
        let store = try #require(try Corpus.open(name, in: folder))
        var asset = EntityDescription(name: "Asset")
        asset.attributes = ["latitude", "longitude"].map { AttributeDescription(name: $0, type: .double) }
        asset.fetchIndexes = [
            FetchIndexDescription(
                name: "boundedByRect", elements: ["latitude", "longitude"].map { .init(property: $0, kind: .rTree) })
        ]
        let real = try Self.statements(StoreConnector.offlineReader(store.path)).filter { $0.contains("Z_RT_") }
        let made = SchemaPlan(ModelDescription(entities: [asset])).statements
            .map { $0.filter { !$0.isWhitespace } }.filter { $0.contains("Z_RT_") }
        #expect(Set(made) == real)
    }

    /// The statements of a file without blanks; without those that SQLite makes for a virtual table itself.
    static func statements(_ connection: Connection) throws -> Set<String> {
        let rows = try connection.query("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
        return Set(rows.compactMap { $0[0].textValue?.filter { !$0.isWhitespace } })
            .filter { !$0.hasPrefix("CREATETABLE\"Z_RT_") }
    }
}

extension [String] {
    fileprivate func matches(_ text: String) -> Bool { contains { text.hasPrefix($0) } }
}
