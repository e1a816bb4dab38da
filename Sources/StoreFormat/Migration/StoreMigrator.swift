import Foundation
import SQLite
import StoreModel

/// Lightweight migration of a store in its place.
///
/// The new store is built whole in a file beside the old one, checked, and then put in its place by SQLite itself: all
/// pages in one transaction of the old file. So at any moment the file is the old store or the new one, whatever ends the
/// process, and nobody who has the file open can have it changed under him. The caller sees to it that no daemon has the
/// store.
public struct StoreMigrator {
    let path: String
    let sourceModel: ModelDescription?
    let destination: ModelDescription

    /// Makes a migrator.
    /// - Parameters:
    ///   - sourceModel: the model that the store is read by; nil takes its own model cache.
    public init(_ path: String, from sourceModel: ModelDescription? = nil, to destination: ModelDescription) {
        self.path = path
        self.sourceModel = sourceModel
        self.destination = destination
    }

    /// The file beside a store that a migration builds the new one in.
    public static func temporaryPath(of path: String) -> String { path + "-coexist-migration" }

    /// Removes what a migration left that was ended. Only for who has the store's lock: a migration may be running.
    public static func removeLeftovers(of path: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: temporaryPath(of: path) + suffix)
        }
    }

    // MARK: Planning

    /// What a migration would do, and why it would be refused. The store, its sidecars and folder are not touched: a copy
    /// is migrated elsewhere, and removed.
    /// - Throws: `StoreError` or `ModelError` where store or model cannot be read.
    public func plan(allowsDataLoss: Bool = false) throws -> MigrationPlan {
        var plan = try open()
        guard plan.isNeeded, plan.refusals.isEmpty else { return plan }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coexist-plan-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        try StoreConnector.translating(path) {
            let copy = folder.appendingPathComponent("old").path
            try StoreConnector.offlineReader(path).backup(to: copy)
            let connection = try Self.builder(folder.appendingPathComponent("new").path, pageSize: 4096)
            try connection.attach(copy, as: MigrationContext.schema)
            _ = try build(connection, &plan, allowsDataLoss, MigrationHooks())
        }
        return plan
    }

    private func open() throws -> MigrationPlan {
        try destination.checkInheritance()
        let store = try Store.open(path, model: sourceModel)
        guard store.catalogue.missing.isEmpty else {
            throw StoreError(
                .damaged, "the catalogue of \(path) lacks \(store.catalogue.missing.joined(separator: ", "))",
                way: "restore a backup")
        }
        let mapping = MappingInference.infer(store.model, destination)
        let isNeeded = try !SchemaAgreement.compare(destination, with: store.metadata).isEmpty
        var plan = MigrationPlan(store: store, mapping: mapping, isNeeded: isNeeded)
        if isNeeded { plan.refusals = mapping.refusals }
        return plan
    }

    // MARK: Migrating

    /// Migrates the store.
    /// - Parameter allowsDataLoss: whether values without a place in the new model may go.
    /// - Throws: ``MigrationRefused``; `StoreError` `Busy` where another process has the store open, `DiskFull` and others;
    ///   the store is then as it was.
    @discardableResult
    public func migrate(allowsDataLoss: Bool = false, hooks: MigrationHooks = MigrationHooks()) throws
        -> MigrationReport
    {
        Self.removeLeftovers(of: path)
        var plan = try open()
        guard plan.isNeeded else { return MigrationReport(plan: plan, backup: nil) }
        guard plan.refusals.isEmpty else { throw MigrationRefused(plan: plan) }
        let backup = StoreBackup.path(beside: path, before: "migration")
        var isSwapped = false
        defer { Self.removeLeftovers(of: path) }
        do {
            let obsolete = try StoreConnector.translating(path) {
                try run(&plan, allowsDataLoss, backup, hooks, &isSwapped)
            }
            for name in obsolete { try? FileManager.default.removeItem(atPath: plan.store.externalData.path(of: name)) }
        } catch {
            if !isSwapped { StoreBackup.remove(backup) }
            throw error
        }
        Self.removeLeftovers(of: path)
        try hooks.reached(.cleaned)
        return MigrationReport(plan: plan, backup: backup)
    }

    /// - Returns: the external files that no value refers to any more.
    private func run(
        _ plan: inout MigrationPlan, _ allowsDataLoss: Bool, _ backup: String, _ hooks: MigrationHooks,
        _ isSwapped: inout Bool
    ) throws -> Set<String> {
        let temporary = Self.temporaryPath(of: path)
        let before = try Fingerprint(StoreConnector.offlineReader(path), "main")
        let connection = try Self.builder(temporary, pageSize: before.pageSize)
        // What is refused leaves the log as it was: there and unread, or not there.
        if FileManager.default.fileExists(atPath: path + "-wal") { try connection.setCheckpointsOnClose(false) }
        do {
            try connection.attach(path, as: MigrationContext.schema, isExclusive: true)
        } catch let error as SQLiteError where error.isBusy {
            throw StoreError(
                .busy, "\(path) is open in another process", way: "end the programs that use it, and try again")
        }
        guard try Fingerprint(connection, MigrationContext.schema) == before else {
            throw StoreError(.busy, "\(path) was changed while its migration was planned", way: "try again")
        }
        try hooks.reached(.locked)
        let obsolete = try build(connection, &plan, allowsDataLoss, hooks)
        guard plan.refusals.isEmpty else { throw MigrationRefused(plan: plan) }
        try hooks.reached(.built)
        guard !FileManager.default.fileExists(atPath: backup) else {
            throw StoreError(.alreadyExists, "\(backup) exists already", way: "try again")
        }
        try StoreBackup.copy(path, attachedTo: connection, as: MigrationContext.schema, to: backup)
        try hooks.reached(.backedUp)
        try MigrationProof(plan: plan, destination: destination, temporary: temporary, backup: backup).check(connection)
        try hooks.reached(.verified)
        let source = try Connection(path: temporary, mode: .readWrite)
        try connection.replace(MigrationContext.schema, with: source) { remaining, _ in
            try hooks.reached(.swapping(remaining: remaining))
        }
        isSwapped = true
        try connection.setCheckpointsOnClose(true)
        try hooks.reached(.swapped)
        // Nobody else has the store, so that nothing is in the way; and if it fails, the log is as good.
        _ = try? connection.query("PRAGMA \(MigrationContext.schema).wal_checkpoint(TRUNCATE)")
        return obsolete
    }

    private func build(
        _ connection: Connection, _ plan: inout MigrationPlan, _ allowsDataLoss: Bool, _ hooks: MigrationHooks
    ) throws -> Set<String> {
        try connection.execute("BEGIN IMMEDIATE")
        do {
            let builder = try MigrationBuilder(connection, source: plan.store, mapping: plan.mapping, hooks: hooks)
            try builder.run(allowsDataLoss: allowsDataLoss)
            plan.losses = builder.context.losses
            plan.refusals += builder.context.refusals
            let old = try ExternalConversions.references(connection, plan.store.layout, schema: MigrationContext.schema)
            let new = try ExternalConversions.references(connection, builder.context.layout, schema: "main")
            try connection.execute(plan.refusals.isEmpty ? "COMMIT" : "ROLLBACK")
            return old.subtracting(new)
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// A connection to a new file. What it writes need not outlive a power cut: it is copied from there.
    private static func builder(_ path: String, pageSize: Int64) throws -> Connection {
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.execute(
            """
            PRAGMA page_size=\(pageSize); PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=MEMORY;
            PRAGMA synchronous=OFF; PRAGMA temp_store=MEMORY
            """)
        try DerivedFunctions.register(on: connection)
        // Neither the guard nor what keeps derived values: everything is written as it shall be.
        try connection.setMainTriggersEnabled(false)
        return connection
    }

    /// What a plan was made from.
    private struct Fingerprint: Equatable {
        let pageSize: Int64
        let schema: SQLValue?
        let metadata: [[SQLValue]]
        let catalogue: [[SQLValue]]

        init(_ connection: Connection, _ name: String) throws {
            pageSize = try connection.scalar("PRAGMA \(name).page_size")?.integerValue ?? 4096
            schema = try connection.scalar("PRAGMA \(name).schema_version")
            metadata = try connection.query("SELECT Z_UUID, Z_PLIST FROM \(name).Z_METADATA")
            catalogue = try connection.query("SELECT Z_ENT, Z_NAME, Z_SUPER FROM \(name).Z_PRIMARYKEY ORDER BY 1")
        }
    }
}
