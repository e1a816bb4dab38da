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
    private var authorized: Set<Int64> = []
    private var touchedUnits: Set<String> = []
    private var keys: [String: Int64] = [:]
    var newFiles: [String] = []
    /// The files of values that were replaced or whose rows were deleted, and those of values that a row has got.
    var obsoleteFiles: [String] = []
    var usedFiles: Set<String> = []
    let journal: ExternalFileJournal
    private let highestKeyInHistory: (EntityLayout) throws -> Int64
    private var external: [Int64: Set<Int>] = [:]
    private var statements: [Int64: RowStatements] = [:]
    private(set) var wroteRows = false
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

    // MARK: Ownership

    /// Whether this stack may write the entity's rows. In a store that has not been adopted everybody may.
    public func owns(_ entity: String) -> Bool {
        guard let unit = register?.unit(ofEntity: entity) else { return register == nil }
        return unit.owner == authority.stack
    }

    /// Checks, for all entities whose rows change, that this stack owns them, at the epoch that it holds.
    /// - Parameter objects: the objects of an entity that the save is about, without reasons; only asked for in a refusal.
    /// - Throws: `StoreError` `OwnershipViolation`, `StaleEpoch` or `Frozen`, naming every offending object;
    ///   `BehindSwitch` for an instance that became the owner since it last replayed.
    public func authorize(_ entities: some Collection<EntityLayout>, objects: (String) -> [StoreError.Offence]) throws {
        var offences: [StoreError.Offence] = []
        var code: StoreError.Code?
        var isBehind = true
        for entity in entities {
            if let (reason, why) = refusal(of: entity.name) {
                let unit = register?.unit(ofEntity: entity.name)
                code = code ?? why
                isBehind = try isBehind && why == .staleEpoch && !heldOwnership(of: unit)
                offences += objects(entity.name).map {
                    var offence = $0
                    (offence.owner, offence.epoch, offence.reason) = (unit?.owner, unit?.epoch, reason)
                    return offence
                }
            } else {
                authorized.insert(entity.number)
                if let unit = register?.unitOfEntity[entity.name] { touchedUnits.insert(unit) }
            }
        }
        guard let code else { return }
        let refusal = Self.refusal(code, offences, stack: authority.stack)
        if isBehind { throw BehindSwitch(refusal: refusal) }
        throw refusal
    }

    private func refusal(of entity: String) -> (String, StoreError.Code)? {
        guard let register else { return nil }
        guard let unit = register.unit(ofEntity: entity) else {
            return ("\(entity) is not in the ownership register", .ownershipViolation)
        }
        if unit.owner != authority.stack {
            return ("\(entity) is owned by the \(unit.owner.rawValue) stack (epoch \(unit.epoch))", .ownershipViolation)
        }
        if unit.isFrozen { return ("\(entity) is frozen for a handover (epoch \(unit.epoch))", .frozen) }
        let held = authority.epochs[unit.name]
        if held != unit.epoch {
            let text = held.map { "epoch \($0)" } ?? "no epoch"
            return ("this instance holds \(text) for \(entity), the register is at \(unit.epoch)", .staleEpoch)
        }
        return nil
    }

    /// Whether this stack owned the unit at the epoch that the instance holds. If not, the instance knows nothing yet of
    /// being its owner, and cannot have written on a stale authority.
    private func heldOwnership(of unit: OwnershipRegister.Unit?) throws -> Bool {
        guard let unit, let held = authority.epochs[unit.name] else { return false }
        let owner = try connection.scalar(
            """
            SELECT coalesce((SELECT OWNER FROM COEXIST_HANDOVER WHERE UNIT = ?1 AND EPOCH = ?2),
                (SELECT PREVIOUS FROM COEXIST_HANDOVER WHERE UNIT = ?1 AND EPOCH = ?2 + 1))
            """, [.text(unit.name), .integer(held)])
        return owner?.textValue != authority.stack.other.rawValue
    }

    private static func refusal(
        _ code: StoreError.Code, _ offences: [StoreError.Offence], stack: StackName
    ) -> StoreError {
        var reasons: [String] = []
        for offence in offences where !reasons.contains(offence.reason) { reasons.append(offence.reason) }
        let first = "the \(stack.rawValue) stack may not write "
        let message =
            reasons.count == 1
            ? "\(first)\(StoreError.list(offences)). \(reasons[0])"
            : "\(first)\(offences.count) objects. "
                + reasons.map { reason in
                    "\(reason): \(StoreError.list(offences.filter { $0.reason == reason }))"
                }.joined(separator: ". ")
        return StoreError(
            code, message, way: way(code, offences.first?.object.entity ?? "ENTITY", stack), objects: offences)
    }

    /// What the person can do about a refusal.
    static func way(_ code: StoreError.Code, _ entity: String, _ stack: StackName) -> String {
        switch code {
        case .frozen: "save again when the handover is done. If none runs: `coexistctl thaw \(entity)`"
        case .staleEpoch: "refresh, and save again"
        default:
            "write through the \(stack.other.rawValue) stack, or hand it over: "
                + "`coexistctl handover \(entity) --to \(stack.rawValue)`"
        }
    }

    private func requireAuthority(_ entity: EntityLayout, _ key: Int64) throws {
        guard !authorized.contains(entity.number) else { return }
        try authorize([entity]) { [.init(object: ObjectReference(entity: $0, key: key), reason: "")] }
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

    // MARK: Rows

    /// The entity's statements, compiled once a transaction.
    func rowStatements(_ entity: EntityLayout) throws -> RowStatements {
        if let known = statements[entity.number] { return known }
        let made = RowStatements(connection, entity)
        statements[entity.number] = made
        return made
    }

    /// Inserts an object's row, with version 1.
    /// - Parameter values: one for each of `entity.columns`, in their order.
    /// - Throws: `StoreError` `UniqueConflict` where a uniqueness constraint has the values already.
    public func insert(_ entity: EntityLayout, key: Int64, values: [SQLValue]) throws {
        try requireAuthority(entity, key)
        wroteRows = true
        let statement = try rowStatements(entity).insert
        statement.bind(key, at: 1)
        statement.bind(entity.number, at: 2)
        for (i, value) in values.enumerated() { statement.bind(value, at: i + 3) }
        try uniquely(entity, nil, { values[$0] }, { try statement.run() })
        if !newFiles.isEmpty { noteFiles(entity, values.enumerated().map { (index: $0, value: $1) }) }
        try log?.append(.insert, entity, key, columns: nil, tombstone: [])
    }

    /// Updates an object's row: sets columns, adds 1 to its version, and records the change.
    /// - Parameters:
    ///   - expecting: the version that the object was read at; nil writes whatever the version is.
    ///   - columns: what to set, by index into `entity.columns`; may be empty where only a relationship's other end
    ///     changed.
    ///   - changed: the properties that history marks.
    /// - Returns: false, with nothing written, if the row is gone or has another version.
    public func update(
        _ entity: EntityLayout, key: Int64, expecting: Int64?, columns: [(index: Int, value: SQLValue)],
        changed: some Sequence<String>
    ) throws -> Bool {
        try requireAuthority(entity, key)
        if let expecting { try requireNextVersion(.integer(expecting), entity, key) }
        let files = try files(entity, key, columns: columns.map(\.index))
        let statement = try rowStatements(entity).update(columns.map(\.index), checksVersion: expecting != nil)
        for (i, column) in columns.enumerated() { statement.bind(column.value, at: i + 1) }
        statement.bind(key, at: columns.count + 1)
        statement.bind(entity.number, at: columns.count + 2)
        if let expecting { statement.bind(expecting, at: columns.count + 3) }
        try uniquely(entity, key, { index in columns.first { $0.index == index }?.value }, { try statement.run() })
        guard connection.changes > 0 else {
            if expecting == nil, let version = try version(entity, key) {
                try requireNextVersion(version, entity, key)
            }
            return false
        }
        wroteRows = true
        retire(files)
        noteFiles(entity, columns)
        try log?.append(.update, entity, key, columns: entity.bitmap.encode(changed), tombstone: [])
        return true
    }

    private func version(_ entity: EntityLayout, _ key: Int64) throws -> SQLValue? {
        try connection.scalar(
            "SELECT Z_OPT FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ? AND Z_ENT = ?",
            [.integer(key), .integer(entity.number)])
    }

    /// - Throws: `StoreError` `Damaged` for the last version that there is.
    private func requireNextVersion(_ version: SQLValue, _ entity: EntityLayout, _ key: Int64) throws {
        _ = try FileCounter.advance(version.integerValue ?? .max, "versions of \(entity.name)/\(key)")
    }

    /// Records that a relationship's other end changed whose row the other stack owns: a change row only, no version.
    public func noteChange(_ entity: EntityLayout, key: Int64, changed: some Sequence<String>) throws {
        wroteRows = true
        try log?.append(.update, entity, key, columns: entity.bitmap.encode(changed), tombstone: [])
    }

    /// Deletes an object's row and records it, with the values that its entity preserves. Join rows and the keys that
    /// others hold are the caller's to remove before.
    /// - Returns: false, with nothing written, if the row is gone or has another version.
    public func delete(_ entity: EntityLayout, key: Int64, expecting: Int64?) throws -> Bool {
        try requireAuthority(entity, key)
        let files = try files(entity, key, columns: Array(externalColumns(entity)))
        let tombstone = try tombstone(entity, key)
        let statement = try rowStatements(entity).delete(checksVersion: expecting != nil)
        statement.bind(key, at: 1)
        statement.bind(entity.number, at: 2)
        if let expecting { statement.bind(expecting, at: 3) }
        try statement.run()
        guard connection.changes > 0 else { return false }
        wroteRows = true
        retire(files)
        if store.layout.keysOfDeleted[entity.rootName] != nil { deletedTargets.append((entity, key)) }
        try log?.append(.delete, entity, key, columns: nil, tombstone: tombstone)
        return true
    }

    private func tombstone(_ entity: EntityLayout, _ key: Int64) throws -> [SQLValue] {
        guard case .interned(let count) = store.historyForm, count > 0 else { return [] }
        // The file of a value that may lie outside goes with the row: its reference would lead nowhere.
        let columns = entity.tombstoneAttributes.prefix(count).map { attribute in
            attribute.leaf.flatMap { $0.isExternal ? nil : $0.column }
        }
        guard columns.contains(where: { $0 != nil }) else { return [] }
        let list = columns.map { $0.map { entity.columns[$0].sqlIdentifier } ?? "NULL" }.joined(separator: ", ")
        return try connection.query(
            "SELECT \(list) FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ?", [.integer(key)]
        ).first ?? []
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
