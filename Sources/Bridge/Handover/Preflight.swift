import SQLite
import StoreFormat

/// What has to hold before a unit changes hands. Nothing is written, and writers go on.
struct Preflight {
    let bridge: StoreBridge
    let unit: OwnershipRegister.Unit
    let owner: StackName
    let progress: (Comparison.Progress) -> Void

    /// What a preflight found.
    struct Outcome {
        var checks: [HandoverCheck] = []
        /// How many objects read equal through both stacks.
        var rows = 0
        /// The transaction that the comparison of the rows is good for.
        var position: Int64 = 0

        var failures: [HandoverCheck] { checks.filter { !$0.isPassed } }
    }

    func run() throws -> Outcome {
        var outcome = Outcome()
        outcome.checks = [try schemas(), try positions(&outcome), try history(), try rules(), try deletes()]
        outcome.checks.append(try rows(&outcome))
        return outcome
    }

    private func check(_ name: HandoverCheck.Name, _ failure: String?, _ success: String) -> HandoverCheck {
        HandoverCheck(name: name, isPassed: failure == nil, detail: failure ?? success)
    }

    private func schemas() throws -> HandoverCheck {
        let store = bridge.store
        let file = try bridge.read { try store.reread($0).metadata.versionHashes }
        let instances: [any StackInstance] = [bridge.legacy, bridge.model]
        let others = instances.filter { $0.store.metadata.versionHashes != file }.map { $0.stack.rawValue }
        let failure = "the \(others.joined(separator: " and the ")) stack opened another schema than the store has now"
        return check(.schemas, others.isEmpty ? nil : failure, "schemas agree")
    }

    /// Both stacks have to have seen all that was committed, or the replay that a handover waits for never ends.
    private func positions(_ outcome: inout Outcome) throws -> HandoverCheck {
        outcome.position = try bridge.lastTransaction()
        do {
            try bridge.replay(to: outcome.position)
        } catch let error as StoreError {
            return check(.positions, error.message, "")
        }
        return check(.positions, nil, "both stacks are at transaction \(outcome.position)")
    }

    private func history() throws -> HandoverCheck {
        let store = bridge.store
        let (start, gaps) = try bridge.readAtLength { connection in
            try connection.transaction(.deferred) {
                let state = try CoexistenceState.read(connection)
                let start = max(state.historyStart, state.purgeFloor)
                return (start, try HistoryContinuity(connection, store: store, after: start).gaps(limit: 10))
            }
        }
        return check(
            .history, gaps.first.map { "\($0.place): \($0.what)" },
            "history has no gap after transaction \(start)")
    }

    /// What another unit's rows break does not hold this one up; what cannot be told apart does.
    private func rules() throws -> HandoverCheck {
        let others = try placesOfOtherUnits()
        let store = bridge.store
        var first: Violation?
        var count = 0
        try bridge.readAtLength { connection in
            try StoreVerifier.forEachViolation(connection, store: store) { violation in
                let name = violation.place.prefix { $0 != " " && $0 != "." }
                guard violation.severity == .error, !others.contains(String(name)) else { return }
                first = first ?? violation
                count += 1
            }
        }
        return check(
            .rules, first.map { "\($0)" + (count > 1 ? ", and \(count - 1) more violations" : "") },
            "no rule of the format is broken that was not before adoption")
    }

    /// The names of entities and tables that have nothing to do with this unit.
    private func placesOfOtherUnits() throws -> Set<String> {
        guard let register = try bridge.register() else { return [] }
        var names: Set<String> = []
        for entity in bridge.store.layout.entities where register.unitOfEntity[entity.name] != unit.name {
            names.formUnion([entity.name, entity.table])
        }
        var joins: Set<String> = []
        for entity in unit.entities {
            for relationship in bridge.store.layout[entity]?.relationships ?? [] {
                if case .manyToMany(let join) = relationship.storage { joins.insert(join.table) }
            }
        }
        return names.union(Set(register.unitOfJoinTable.keys).subtracting(joins))
    }

    private func deletes() throws -> HandoverCheck {
        let crossings = DeleteCrossings.after(
            handing: unit, to: owner, register: try bridge.register(), layout: bridge.store.layout)
        return check(
            .deletes, nil,
            crossings.isEmpty
                ? "no delete rule reaches rows of another owner"
                : "deletes that these rules carry to the other owner's rows will be "
                    + (bridge.deleteForwarding.isOn ? "forwarded to it: " : "refused: ")
                    + crossings.joined(separator: ", "))
    }

    private func rows(_ outcome: inout Outcome) throws -> HandoverCheck {
        let result = try bridge.compare(entities: unit.entities, limit: 1, progress: progress)
        outcome.rows = result.rows
        return check(
            .rows, result.differences.first.map { Self.text($0, of: result.differing) },
            "\(CountText.text(result.rows, "row")) read equal through both stacks")
    }

    static func text(_ difference: Comparison.Difference, of count: Int) -> String {
        "\(difference.object) reads differently: \(difference.property ?? "the object") is \(difference.legacy) in legacy, "
            + "\(difference.model) in model" + (count > 1 ? "; and \(count - 1) more objects" : "")
    }
}
