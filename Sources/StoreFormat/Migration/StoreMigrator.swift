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
        self.path = RealPath.of(path)
        self.sourceModel = sourceModel
        self.destination = destination
    }

    // MARK: Planning

    /// What a migration would do, and why it would be refused. The store, its sidecars and folder are not touched: a copy
    /// is migrated elsewhere, and removed.
    /// - Parameter reached: told of the stages that a plan passes.
    /// - Throws: `StoreError` or `ModelError` where store or model cannot be read.
    public func plan(
        allowsDataLoss: Bool = false, reached: @escaping (MigrationStage) throws -> Void = { _ in }
    ) throws -> MigrationPlan {
        var plan = try open()
        guard plan.isNeeded else { return plan }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coexist-plan-\(UUID().uuidString)")
        do {
            try PrivateFile.makeFolder(folder.path)
        } catch {
            throw StoreError(writing: folder.path, error)
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = try StoreConnector.translating(path) { try StoreConnector.offlineReader(path) }
        try StoreBackup.translating(path, folder.path) {
            let copy = folder.appendingPathComponent("old").path
            try source.backup(to: copy)
            let connection = try Self.builder(folder.appendingPathComponent("new").path, pageSize: 4096)
            try connection.attach(copy, as: MigrationContext.schema)
            _ = try build(connection, &plan, allowsDataLoss, MigrationHooks(reached: reached))
        }
        return plan
    }

    private func open() throws -> MigrationPlan {
        try destination.checkInheritance()
        let store = try Store.open(path, model: sourceModel)
        guard store.catalogue.missing.isEmpty else {
            throw StoreError(
                .damaged, "the catalogue of \(path) lacks \(store.catalogue.missing.joined(separator: ", "))",
                way: StoreError.wayOfDamage(path))
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
        StoreLeftovers.settle(path)
        var plan = try open()
        guard plan.isNeeded else {
            StoreWriter.removeLeftFiles(of: plan.store)
            return MigrationReport(plan: plan, backup: nil)
        }
        guard plan.refusals.isEmpty else {
            // What the rows say against it too is told at once, where there is room to look.
            throw MigrationRefused(plan: (try? self.plan(allowsDataLoss: allowsDataLoss)) ?? plan)
        }
        try StoreProbe.checkWritable(path)
        var report = MigrationReport(plan: plan, backup: StoreBackup.path(beside: path, label: "before-migration"))
        let journal = ExternalFileJournal(plan.store.externalData)
        var isSwapped = false
        defer { StoreLeftovers.settle(path) }
        do {
            try StoreConnector.translating(path) {
                let obsolete = try run(&plan, &report, journal, allowsDataLoss, hooks, &isSwapped)
                plan.store.externalData.remove(obsolete)
            }
        } catch {
            if !isSwapped {
                report.backup.map(StoreBackup.remove)
                journal.clear()
            }
            throw error
        }
        journal.clear()
        plan.store.externalData.removeEmptyFolders()
        StoreLeftovers.settle(path)
        try hooks.reached(.cleaned)
        report.plan = plan
        return report
    }

    /// - Returns: the external files that no value refers to any more.
    private func run(
        _ plan: inout MigrationPlan, _ report: inout MigrationReport, _ journal: ExternalFileJournal,
        _ allowsDataLoss: Bool, _ hooks: MigrationHooks, _ isSwapped: inout Bool
    ) throws -> Set<String> {
        let temporary = StoreLeftovers.migrationPath(of: path)
        let before = try Fingerprint(StoreConnector.offlineReader(path), "main")
        let connection = try Self.builder(temporary, pageSize: before.pageSize)
        // What is refused leaves the log as it was: there and unread, or not there.
        if FileManager.default.fileExists(atPath: path + "-wal") { try connection.setCheckpointsOnClose(false) }
        do {
            try connection.attach(path, as: MigrationContext.schema, isExclusive: true)
        } catch let error as SQLiteError where error.isBusy {
            throw StoreError.openElsewhere(path)
        }
        guard try Fingerprint(connection, MigrationContext.schema) == before else {
            throw StoreError(.busy, "\(path) was changed while its migration was planned", way: "try again")
        }
        try hooks.reached(.locked)
        let obsolete = try build(connection, &plan, allowsDataLoss, hooks)
        guard plan.refusals.isEmpty else { throw MigrationRefused(plan: plan) }
        try hooks.reached(.built)
        let backup = report.backup ?? ""
        if let damage = try StoreBackup.copy(path, attachedTo: connection, as: MigrationContext.schema, to: backup) {
            report.warnings.append("the store was damaged, and so is its copy \(backup): \(damage)")
        }
        try hooks.reached(.backedUp)
        try MigrationProof(plan: plan, destination: destination, temporary: temporary, backup: backup).check(connection)
        try hooks.reached(.verified)
        // Of a process that is killed after the swap the next writer removes them.
        try journal.note(obsolete)
        let source = try Connection(path: temporary, mode: .readWrite)
        try connection.replace(MigrationContext.schema, with: source) { remaining, _ in
            try hooks.reached(.swapping(remaining: remaining))
        }
        isSwapped = true
        try connection.setCheckpointsOnClose(true)
        try hooks.reached(.swapped)
        if let problem = logProblem(connection) { report.warnings.append(problem) }
        return obsolete
    }

    /// Moves the log into the store. Nobody else has it, so that nothing but the disk is in the way.
    /// - Returns: why it could not be moved.
    private func logProblem(_ connection: Connection) -> String? {
        do {
            _ = try connection.query("PRAGMA \(MigrationContext.schema).wal_checkpoint(TRUNCATE)")
            return nil
        } catch {
            let why = (error as? SQLiteError).map { StoreError($0, path: path).message } ?? "\(error)"
            return "the new content is in \(path)-wal and could not be moved into the store: \(why). The two must stay "
                + "together; when there is room, the next program that writes the store moves it"
        }
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
            let old = try ExternalReferences.names(plan.store.layout, connection, schema: MigrationContext.schema)
            let new = try ExternalReferences.names(builder.context.layout, connection)
            try connection.execute(plan.refusals.isEmpty ? "COMMIT" : "ROLLBACK")
            return old.subtracting(new)
        } catch {
            connection.rollback()
            throw error
        }
    }

    /// A connection to a new file. What it writes need not outlive a power cut: it is copied from there.
    private static func builder(_ path: String, pageSize: Int64) throws -> Connection {
        let connection = try Connection(path: path, mode: .createPrivate)
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
