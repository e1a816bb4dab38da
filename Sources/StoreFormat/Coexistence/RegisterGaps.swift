import SQLite

/// What an adopted store's register lacks: entities and join tables of the model of which it does not say who owns them.
public struct RegisterGaps: Sendable, Hashable {
    /// Entities that are in no unit.
    public var entities: [String] = []
    /// Join tables that are in no unit.
    public var joinTables: [String] = []
    /// Units that are named, and of which no owner is recorded.
    public var units: [String] = []

    /// Looks what a register lacks. Where tables of the model are gone, what belongs together cannot be seen.
    public init(_ register: OwnershipRegister, _ layout: StoreLayout) {
        var expected: [String: String] = [:]
        for (unit, entities) in OwnershipUnits.group(layout) { for entity in entities { expected[entity] = unit } }
        var lost: Set<String> = []
        func look(_ name: String, in unit: String?, expected: String?) -> Bool {
            if let unit = unit ?? expected, register.units[unit] == nil { lost.insert(unit) }
            return unit == nil
        }
        entities = layout.entities.map(\.name).filter {
            look($0, in: register.unitOfEntity[$0], expected: expected[$0])
        }
        joinTables = OwnershipUnits.joinTables(layout).keys.sorted().filter {
            look($0, in: register.unitOfJoinTable[$0], expected: nil)
        }
        units = lost.sorted()
    }

    /// The gaps as an error; nil where there are none.
    public func problem(_ path: String) -> StoreError? {
        if !units.isEmpty {
            return StoreError(
                .damaged,
                "\(path) is adopted, but its register does not say who owns \(StoreError.list(units)): somebody removed "
                    + "what Coexist keeps there",
                way:
                    "stop the daemon; `coexistctl release \(path)` takes the rest away, and the next opening for writing "
                    + "adopts it anew")
        }
        let names = entities + joinTables
        guard !names.isEmpty else { return nil }
        return StoreError(
            .damaged,
            "\(path) is adopted, but its register lacks \(StoreError.list(names)): somebody removed what Coexist keeps there",
            way:
                "stop the daemon; `coexistctl verify \(path) --repair` enters what follows from the model; or release the "
                + "store: `coexistctl release`")
    }
}

extension StoreHealth {
    /// What the register of an adopted store lacks; nil where it is whole, or the store is not adopted.
    public static func registerProblem(_ store: Store, _ connection: Connection) throws -> StoreError? {
        try OwnershipRegister.read(connection).flatMap { RegisterGaps($0, store.layout).problem(store.path) }
    }
}
