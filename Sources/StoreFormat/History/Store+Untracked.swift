import SQLite

extension Store {
    /// Checks that a save without history goes past nobody: the history has no transactions, as where there are no tables
    /// or all of it was purged, and the store is not shared by two stacks.
    /// - Throws: `StoreError` `ReadOnly`.
    public func checkUntracked(_ connection: Connection) throws {
        let isFollowed = try StoreConnector.translating(path) {
            // Not by the form as it was when the store was opened: others make the tables, too.
            guard try HistoryForm(connection).isTracked else { return false }
            return try CoexistenceTables.exist(connection)
                || connection.scalar("SELECT EXISTS (SELECT 1 FROM ATRANSACTION)") == 1
        }
        guard isFollowed else { return }
        throw StoreError(
            .readOnly, "\(path) has persistent history, and this stack was opened with history tracking off",
            way: "switch history tracking on: without it the other stack would miss every change")
    }

    /// Why a stack that keeps no history must not write; nil where it may.
    /// - Throws: `StoreError` where the store cannot be read.
    public func reasonAgainstUntracked() throws -> String? {
        do {
            try checkUntracked(try StoreConnector.connect(path, .reader))
            return nil
        } catch let error as StoreError where error.code == .readOnly {
            return error.message
        }
    }
}
