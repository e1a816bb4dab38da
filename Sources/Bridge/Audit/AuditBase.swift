import Foundation
import SQLite
import StoreFormat
import StoreModel

/// The backup that an audit compares the rows with: of the same store, and the same schema.
struct AuditBase {
    let path: String
    let connection: Connection
    /// The last transaction that it has.
    let last: Int64

    /// The given backup, or the one from adoption; nil, with a note in the report, where the latter cannot serve.
    /// - Throws: `StoreError` where the given one cannot.
    static func find(
        given: String?, adoption state: CoexistenceState, store: Store, model: ModelDescription?,
        _ report: inout AuditReport
    ) throws -> AuditBase? {
        if let given { return try open(given, state, store, model, isGiven: true) }
        guard let path = state.backup else {
            report.notes.append("the rows were not compared: adoption made no backup")
            return nil
        }
        do {
            return try open(path, state, store, model, isGiven: false)
        } catch let error as StoreError {
            report.notes.append("the rows were not compared with the backup from adoption: \(error.message)")
            return nil
        }
    }

    private static func open(
        _ path: String, _ state: CoexistenceState, _ store: Store, _ model: ModelDescription?, isGiven: Bool
    ) throws -> AuditBase {
        let old = try Store.open(path, model: model)
        guard old.uuid == store.uuid else {
            throw StoreError(
                .otherStore, "\(path) is a copy of the store \(old.uuid), this one is \(store.uuid)",
                way: "give a backup of this store")
        }
        guard old.metadata.versionHashes == store.metadata.versionHashes,
            old.catalogue.numbers == store.catalogue.numbers
        else {
            throw StoreError(
                .schemaMismatch, "\(path) has another schema: the store has been migrated since",
                way: "give a backup from after the migration")
        }
        let connection = try StoreConnector.offlineReader(path)
        let last = try HistoryReader(connection, store: old).last()
        guard last >= state.purgeFloor else {
            throw StoreError(
                .refused, "\(path) ends at transaction \(last), and history up to \(state.purgeFloor) has been purged",
                way: "give a backup from after the purge")
        }
        if isGiven, try CoexistenceTables.exist(connection),
            try CoexistenceState.read(connection).timeline != state.timeline
        {
            throw StoreError(
                .refused, "\(path) is of another timeline: the store has been restored since",
                way: "give a backup from after the restore")
        }
        return AuditBase(path: path, connection: connection, last: last)
    }
}
