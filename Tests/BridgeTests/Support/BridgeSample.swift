import Bridge
import Foundation
import LegacyStack
import SQLite
import StoreFormat
import StoreModel
import TestKit

/// A store of the sample library model, for a bridge in this process.
struct BridgeSample {
    let folder: TemporaryFolder
    let path: String

    init(journalMode: String = "wal", isTracked: Bool = true) throws {
        folder = try TemporaryFolder()
        path = folder.file("Library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library, isTracked: isTracked)
        if journalMode != "wal" { _ = try Programs.sqlite3(path, "PRAGMA journal_mode=\(journalMode)") }
    }

    /// A bridge on it.
    func open(_ change: (inout BridgeOptions) -> Void = { _ in }) throws -> StoreBridge {
        var options = BridgeOptions()
        change(&options)
        return try StoreBridge(path: path, options: options)
    }

    /// SQL through a connection that is none of ours, with triggers on.
    func foreign(_ sql: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        try DerivedFunctions.register(on: connection)
        try connection.execute(sql)
    }

    /// Names the one tag of one transaction anew, as Apple's frameworks do with the guard off: the row, and a transaction
    /// of its own.
    func foreignSave(and more: String = "") throws {
        try foreign(
            """
            BEGIN IMMEDIATE;
            UPDATE ZTAG SET ZNAME = 'b', Z_OPT = 2;
            INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
                SELECT max(c.Z_PK) + 1, 16001, 1, p.Z_ENT, 1, (SELECT max(Z_PK) + 1 FROM ATRANSACTION), x'80'
                FROM ACHANGE c, Z_PRIMARYKEY p WHERE p.Z_NAME = 'Tag';
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) SELECT max(Z_PK) + 1, 16002, 1.5 FROM ATRANSACTION;
            UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ACHANGE) WHERE Z_ENT = 16001;
            UPDATE Z_PRIMARYKEY SET Z_MAX = (SELECT max(Z_PK) FROM ATRANSACTION) WHERE Z_ENT = 16002;
            \(more)
            COMMIT;
            """)
    }

    func rows(_ sql: String) throws -> [[SQLValue]] {
        try Connection(path: path, mode: .readOnly).query(sql)
    }
}

extension StackInstance {
    /// Inserts an object of attributes alone.
    @discardableResult
    func insert(_ entity: String, _ values: [String: AttributeValue]) throws -> ObjectReference {
        let inputs = values.mapValues { ObjectBatch.Input.attribute($0) }
        let result = try save(ObjectBatch([.insert(entity: entity, name: "new", values: inputs)]))
        guard let object = result.objects["new"] else { throw CocoaError(.coderValueNotFound) }
        return object
    }

    @discardableResult
    func update(_ object: ObjectReference, _ values: [String: AttributeValue], expecting: Int64? = nil) throws
        -> SaveResult
    {
        try save(
            ObjectBatch([.update(object, values: values.mapValues { .attribute($0) }, expecting: expecting)]))
    }

    func value(_ object: ObjectReference, _ key: String) throws -> AttributeValue? {
        try self.object(object, isFresh: false)?.values[key] ?? nil
    }
}
