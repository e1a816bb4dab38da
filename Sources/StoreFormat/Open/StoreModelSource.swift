import Foundation
import SQLite
import StoreModel

/// Finds the model that a store is read by.
enum StoreModelSource {
    static func model(
        given: ModelDescription?, source: String, _ connection: Connection, path: String, tables: TableColumns
    ) throws -> (ModelDescription, Store.ModelOrigin) {
        if let given { return (given, .given(source)) }
        guard tables["Z_MODELCACHE"] != nil else {
            throw StoreError(
                .modelMissing, "\(path) has no model cache: frameworks before iOS 9 and OS X 10.11 wrote none",
                way: "give the model it was made with: --model FILE.mom, .momd or .xcdatamodeld")
        }
        guard let content = try content(connection) else {
            throw StoreError(
                .modelMissing, "the model cache of \(path) is empty",
                way: "give the model it was made with: --model FILE.mom, .momd or .xcdatamodeld")
        }
        do {
            return (try ModelCache.decode(content), .modelCache)
        } catch {
            throw StoreError(
                .modelUnreadable, "the model cache of \(path) cannot be read: \(error)",
                way: "give the model it was made with: --model FILE.mom, .momd or .xcdatamodeld")
        }
    }

    /// The cached model, where there is one that can be read.
    static func cached(_ connection: Connection, _ tables: TableColumns) -> ModelDescription? {
        guard tables["Z_MODELCACHE"] != nil, let content = try? content(connection) else { return nil }
        return try? ModelCache.decode(content)
    }

    private static func content(_ connection: Connection) throws -> Data? {
        let content = try StructureLimit.reading(
            "the model cache", connection, code: .modelUnreadable,
            way: "give the model it was made with: --model FILE.mom, .momd or .xcdatamodeld"
        ) { try connection.scalar("SELECT Z_CONTENT FROM Z_MODELCACHE") }
        guard let bytes = content?.blobValue, !bytes.isEmpty else { return nil }
        return Data(bytes)
    }
}
