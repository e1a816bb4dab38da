import Bridge
import StoreFormat
import Varlink

/// `coexistctl adopt`: the adoption of a daemon's first start, for a store that no daemon is to serve.
enum AdoptCommand {
    static let command = Command(
        "adopt", "STORE [--owner legacy|model] [--model MODEL]",
        "Copies the store, records owners in it and puts the guard on, as the daemon's first start does",
        options: ["owner", "model"], operands: 1...1, run: run)

    private static func run(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let store = try StoreCommands.open(arguments)
        let owner = try arguments.stack("owner") ?? .legacy
        // A bridge would put another guard on a store that has one.
        guard try !isAdopted(store) else {
            show(store, nil, [], "\(store.path) was adopted before: nothing changed", output)
            return 0
        }
        let options = BridgeOptions(model: store.model, seed: OwnershipSeed(defaultOwner: owner))
        let bridge = try StoreBridge(path: store.path, options: options)
        let (problem, backup) = (bridge.problem, bridge.adoptionBackup)
        let warnings = bridge.close()
        if let problem { throw problem }
        let copy = backup.map { "; the copy from before is \($0)" } ?? ""
        show(
            store, backup, warnings, "\(store.path) is adopted: the \(owner.rawValue) stack owns everything\(copy)",
            output)
        return 0
    }

    private static func isAdopted(_ store: Store) throws -> Bool {
        try StoreConnector.translating(store.path) {
            try CoexistenceTables.exist(StoreConnector.offlineReader(store.path))
        }
    }

    private static func show(
        _ store: Store, _ backup: String?, _ warnings: [String], _ sentence: String, _ output: Output
    ) {
        output.warn(warnings)
        guard output.isJSON else { return output.line(sentence) }
        output.json([
            "store": .string(store.path), "adopted": .bool(backup != nil),
            "backup": backup.map { .string($0) } ?? .null, "warnings": DescriptionJSON.texts(warnings),
        ])
    }
}
