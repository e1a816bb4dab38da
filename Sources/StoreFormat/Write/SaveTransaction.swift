import Foundation
import SQLite
import StoreModel

/// One save, between its `BEGIN IMMEDIATE` and its commit: authorises entities, hands out keys, writes rows, and records
/// each object's change in history.
///
/// A stack calls `authorize` once, then one of `insert`, `update`, `delete` for each changed object, the join rows'
/// functions for many-to-manys. Every object gets one change row.
public final class SaveTransaction {
    /// The store as it is in this transaction.
    public let store: Store
    /// The connection that the transaction is open on.
    public let connection: Connection
    /// The register as it is in this transaction; nil where the store has not been adopted.
    public let register: OwnershipRegister?
    /// In whose name the save is made.
    public internal(set) var authority: SaveAuthority
    var log: HistoryAppender?
    /// Where what delete rules do to the other stack's rows goes.
    let forwarding: DeleteForwarding?
    var isForwarding = false
    /// Whether this is the owner's part of another stack's delete.
    let isPart: Bool
    /// The history transaction of the owner's part, once it is written.
    var forwarded: Int64?
    let identity: TransactionIdentity
    /// The entities whose rows this save may write, by number, and their units.
    var authorized: Set<Int64> = []
    var touchedUnits: Set<String> = []
    private var keys: [String: Int64] = [:]
    var newFiles: [String] = []
    /// The files of values that were replaced or whose rows were deleted, and those of values that a row has got.
    var obsoleteFiles: [String] = []
    var usedFiles: Set<String> = []
    let journal: ExternalFileJournal
    private let highestKeyInHistory: (EntityLayout) throws -> Int64
    private var external: [Int64: Set<Int>] = [:]
    var statements: [Int64: RowStatements] = [:]
    var wroteRows = false
    /// Deleted objects whose keys relationships without an inverse may still hold.
    var deletedTargets: [(entity: EntityLayout, key: Int64)] = []
    /// The entities of objects that this save changed beside what the stack told it to: the stack drops what it caches.
    public internal(set) var sideEffects: Set<String> = []

    init(
        _ writer: StoreWriter, _ authority: SaveAuthority, _ identity: TransactionIdentity,
        _ forwarding: DeleteForwarding? = nil
    ) throws {
        connection = writer.connection
        self.authority = authority
        self.identity = identity
        self.forwarding = forwarding
        isPart = false
        register = try OwnershipRegister.readForSave(connection, storePath: writer.store.path)
        // New tables would begin the history anew, and say that nothing was before.
        if let problem = StoreHealth.lostHistory(of: writer.store, isAdopted: register != nil) { throw problem }
        if writer.isTracking, !writer.store.historyForm.isTracked { try writer.makeHistoryTables() }
        store = writer.store
        highestKeyInHistory = { [unowned writer] in try writer.highestKeyInHistory(of: $0) }
        // Somebody else may have begun a history meanwhile.
        if !writer.isTracking { try store.checkUntracked(connection) }
        journal = ExternalFileJournal(writer.store.externalData)
        log =
            writer.isTracking
            ? try HistoryAppender(connection, form: store.historyForm, isAdopted: register != nil) : nil
    }

    /// The owner's part of a save that is under way.
    init(partOf whole: SaveTransaction, authority: SaveAuthority) throws {
        connection = whole.connection
        self.authority = authority
        identity = whole.identity
        forwarding = nil
        isPart = true
        register = whole.register
        store = whole.store
        journal = whole.journal
        highestKeyInHistory = whole.highestKeyInHistory
        log =
            whole.log == nil
            ? nil
            : try HistoryAppender(whole.connection, form: whole.store.historyForm, isAdopted: whole.register != nil)
    }

    /// The indexes of an entity's columns with external storage.
    func externalColumns(_ entity: EntityLayout) -> Set<Int> {
        if let known = external[entity.number] { return known }
        let columns = Set(entity.attributes.flatMap(\.leaves).filter(\.isExternal).compactMap(\.column))
        external[entity.number] = columns
        return columns
    }

    // MARK: Keys

    /// Hands out keys in the entity's table, the first of `count` in a row. None was ever in use.
    public func allocateKeys(_ count: Int, for entity: EntityLayout) throws -> Int64 {
        let last: Int64
        if let known = keys[entity.rootName] {
            last = known
        } else {
            let counter =
                try connection.scalar(
                    "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?", [.integer(entity.rootNumber)])?.integerValue ?? 0
            let highest =
                try connection.scalar("SELECT max(Z_PK) FROM \(entity.table.sqlIdentifier)")?.integerValue ?? 0
            last = max(counter, highest, try highestKeyInHistory(entity))
        }
        keys[entity.rootName] = try FileCounter.advance(last, by: Int64(count), "objects of \(entity.rootName)")
        return try FileCounter.advance(last, "objects of \(entity.rootName)")
    }

    // MARK: The end

    /// Writes the counters and the transaction's own rows.
    /// - Returns: the history transaction's number; nil if nothing was written at all.
    func finish() throws -> Int64? {
        try nullifyKeys(of: deletedTargets)
        try prepareFiles()
        for (root, last) in keys {
            guard let number = store.layout[root]?.number else { continue }
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?", [.integer(last), .integer(number)])
        }
        guard wroteRows || forwarded == nil else {
            throw StoreError(
                .versionConflict, "what was to be deleted is gone already, but rows that it led to are still there",
                way: "refresh, and delete those")
        }
        guard wroteRows || !keys.isEmpty else { return nil }
        if register != nil { try CoexistenceState.countCommit(connection) }
        guard wroteRows, let log else { return 0 }
        let number = try log.finish(identity)
        try record(number, cause: nil)
        if forwarded != nil { forwarding?.reach(.bothParts) }
        return number
    }

    /// The history transaction that `finish` wrote; nil where it has too many changes to be kept, or a part of it went into
    /// the other stack's name.
    var written: HistoryTransaction? {
        guard forwarded == nil else { return nil }
        return log?.written(
            identity, by: .init(stack: authority.stack, instanceName: authority.instanceName))
    }

    /// Ends the owner's part of a delete, which the transaction after it caused.
    /// - Returns: the history transaction's number; nil if nothing had to be written.
    func finishPart() throws -> Int64? {
        guard wroteRows, let log else { return nil }
        let number = try log.finish(identity)
        try record(number, cause: number + 1)
        return number
    }

    private func record(_ number: Int64, cause: Int64?) throws {
        guard let register else { return }
        let epochs = touchedUnits.sorted().map { "\($0)=\(register.units[$0]?.epoch ?? 0)" }.joined(separator: "\n")
        try connection.run(
            "INSERT INTO COEXIST_TRANSACTION (NUMBER, STACK, INSTANCE, EPOCHS, CAUSE) VALUES (?, ?, ?, ?, ?)",
            [
                .integer(number), .text(authority.stack.rawValue), .text(authority.instanceName), .text(epochs),
                cause.map { .integer($0) } ?? .null,
            ])
    }
}
