import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Lightweight migration of a store that no daemon has: takes the store's lock, and keeps the guard.
public enum StoreMigration {
    /// Migrates the store in its place.
    /// - Parameters:
    ///   - allowsDataLoss: whether values without a place in the new model may go.
    ///   - reached: told of each stage.
    /// - Throws: `MigrationRefused`; `StoreError` `Busy` beside a running daemon or where another process has the store
    ///   open. The store is then as it was.
    public static func migrate(
        _ migrator: StoreMigrator, path: String, allowsDataLoss: Bool = false,
        reached: @escaping (MigrationStage) throws -> Void = { _ in }
    ) throws -> MigrationReport {
        try StoreProbe.check(path)
        let lock = try StoreLock(storePath: path)
        defer { lock.release() }
        let hooks = MigrationHooks(
            installGuard: { mode, connection in try GuardTriggers.install(mode, on: connection) }, reached: reached)
        return try migrator.migrate(allowsDataLoss: allowsDataLoss, hooks: hooks)
    }
}
