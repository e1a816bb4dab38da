import SQLite
import StoreModel

/// Checks the migrated store before it takes the old one's place: it may break no rule that the old one kept.
struct MigrationProof {
    let plan: MigrationPlan
    let destination: ModelDescription
    let temporary: String
    let backup: String

    /// - Throws: `StoreError` `Damaged`, naming what is wrong.
    func check(_ connection: Connection) throws {
        let before = try violations(backup, plan.store.model)
        let after = try violations(temporary, destination)
        var inherited: [Violation] = []
        for (rule, found) in Dictionary(grouping: after, by: \.rule).sorted(by: { $0.key < $1.key }) {
            let known = before.filter { $0.rule == rule }
            guard found.count <= known.count else {
                throw StoreError(
                    .damaged,
                    "the migrated copy of \(plan.store.path) would break the rule \(rule) where the store did not: "
                        + found.prefix(3).map { "\($0.place): \($0.what)" }.joined(separator: "; "),
                    way: "report this; nothing was changed")
            }
            let kept = known.count { $0.severity == .inherited }
            inherited += found.prefix(kept)
        }
        try record(inherited, connection)
    }

    private func violations(_ path: String, _ model: ModelDescription) throws -> [Violation] {
        let connection = try Connection(path: path, mode: .immutable)
        try DerivedFunctions.register(on: connection)
        let store = try Store.open(
            connection, path: path, identity: nil, model: model, source: "the new model", requiringEqualHashes: false
        ).beside(plan.store.externalData)
        // What the new model's bounds say of the old values is no damage that the migration did.
        return try StoreVerifier.verify(connection, store: store).filter { $0.severity != .warning }
    }

    /// What was there before adoption is still there, under the names of now.
    private func record(_ inherited: [Violation], _ connection: Connection) throws {
        guard try CoexistenceTables.exist(connection) else { return }
        try connection.transaction(.immediate) {
            for violation in inherited {
                try connection.run(
                    "INSERT OR IGNORE INTO main.COEXIST_INHERITED VALUES (?, ?, ?)",
                    [.text(violation.rule), .text(violation.place), .text(violation.what)])
            }
        }
    }
}

extension Store {
    /// The same knowledge, with the external files of another place.
    func beside(_ externalData: ExternalData) -> Store {
        Store(
            path: path, givenPath: givenPath, metadata: metadata, model: model, modelOrigin: modelOrigin,
            catalogue: catalogue,
            layout: layout, triggerWrites: triggerWrites, historyForm: historyForm, lostHistory: lostHistory,
            externalData: externalData,
            isWAL: isWAL, identity: identity)
    }
}
