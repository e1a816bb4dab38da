import SQLite
import StoreFormat

/// What has to hold before a unit changes hands. Nothing is written, and writers go on.
struct Preflight {
    let bridge: StoreBridge
    let unit: OwnershipRegister.Unit
    let owner: StackName
    let alongside: [String: StackName]
    let checkCalledOff: () throws -> Void
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
        let looks: [(inout Outcome) throws -> HandoverCheck] = [
            { _ in try schemas() }, { try positions(&$0) }, { _ in try history() }, { _ in try rules() },
            { _ in try deletes() }, { try rows(&$0) },
        ]
        for look in looks {
            try checkCalledOff()
            outcome.checks.append(try look(&outcome))
        }
        return outcome
    }

    /// - Parameter way: what helps where it failed.
    private func check(
        _ name: HandoverCheck.Name, _ failure: String?, _ success: String, way: @autoclosure () throws -> String
    ) rethrows -> HandoverCheck {
        guard let failure else { return HandoverCheck(name: name, isPassed: true, detail: success) }
        return HandoverCheck(name: name, isPassed: false, detail: failure, way: try way())
    }

    private func schemas() throws -> HandoverCheck {
        let store = bridge.store
        let file = try bridge.read { try store.reread($0).metadata.versionHashes }
        let instances: [any StackInstance] = [bridge.legacy, bridge.model]
        let others = instances.filter { $0.store.metadata.versionHashes != file }.map { $0.stack.rawValue }
        let failure = "the \(others.joined(separator: " and the ")) stack opened another schema than the store has now"
        return check(
            .schemas, others.isEmpty ? nil : failure, "schemas agree",
            way: "restart the daemon, so that both stacks open the schema that the store has now")
    }

    /// Both stacks have to have seen all that was committed, or the replay that a handover waits for never ends.
    private func positions(_ outcome: inout Outcome) throws -> HandoverCheck {
        outcome.position = try bridge.lastTransaction()
        do {
            try bridge.replay(to: outcome.position)
        } catch let error as StoreError {
            return check(
                .positions, error.message, "",
                way: "`coexistctl replay` says what keeps a stack back" + (error.way.isEmpty ? "" : ": \(error.way)"))
        }
        return check(.positions, nil, "both stacks are at transaction \(outcome.position)", way: "")
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
        return try check(
            .history, gaps.first.map { "\($0.place): \($0.what)" },
            "history has no gap after transaction \(start)",
            way: try purge(through: bridge.lastTransaction()))
    }

    /// What another unit's rows break does not hold this one up; what cannot be told apart does.
    private func rules() throws -> HandoverCheck {
        let others = try placesOfOtherUnits()
        let store = bridge.store
        var first: Violation?
        var count = 0
        var broken = BrokenHistory()
        try bridge.readAtLength { connection in
            try StoreVerifier.forEachViolation(
                connection, store: store, progress: { _, _ in try checkCalledOff() }
            ) { violation in
                let name = violation.place.prefix { $0 != " " && $0 != "." }
                guard violation.severity == .error, !others.contains(String(name)) else { return }
                first = first ?? violation
                count += 1
                broken.note(violation)
            }
        }
        return try check(
            .rules, first.map { "\($0)" + (count > 1 ? ", and \(count - 1) more violations" : "") },
            "no rule of the format is broken that was not before adoption",
            way: try bridge.read(broken.last).map(purge)
                ?? "`coexistctl verify` lists what is broken; when the daemon is stopped, "
                + "`coexistctl verify \(store.path) --repair` mends what takes nobody's choice, and the rest is to be "
                + "corrected through the owner")
    }

    /// What is wrong with history goes with it.
    private func purge(through number: Int64) throws -> String {
        let timeline = try bridge.read { try CoexistenceState.read($0).timeline }
        let token = HistoryToken(
            storeUUID: bridge.store.uuid, timeline: timeline, transaction: min(number, .max - 1) + 1)
        return "purge the history that is wrong, once its readers have acknowledged it: "
            + "`coexistctl history prune --before \(token)`"
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
            handing: [unit.name: owner].merging(alongside) { own, _ in own }, register: try bridge.register(),
            layout: bridge.store.layout, about: unit.name)
        return check(
            .deletes, nil,
            crossings.isEmpty
                ? "no delete rule reaches rows of another owner"
                : "deletes that these rules carry to the other owner's rows will be "
                    + (bridge.deleteForwarding.isOn ? "forwarded to it: " : "refused: ")
                    + crossings.joined(separator: ", "), way: "")
    }

    private func rows(_ outcome: inout Outcome) throws -> HandoverCheck {
        let result = try bridge.compare(entities: unit.entities, limit: 1) { state in
            try checkCalledOff()
            progress(state)
        }
        outcome.rows = result.rows
        return check(
            .rows, result.differences.first.map { Self.text($0, of: result.differing) },
            "\(CountText.text(result.rows, "row")) read equal through both stacks",
            way: "`coexistctl compare \(result.differences.first?.object.entity ?? unit.name)` lists what differs")
    }

    static func text(_ difference: Comparison.Difference, of count: Int) -> String {
        "\(difference.object) reads differently: \(difference.property ?? "the object") is \(difference.legacy) in legacy, "
            + "\(difference.model) in model" + (count > 1 ? "; and \(count - 1) more objects" : "")
    }
}

/// Rows of history that break a rule: no more is wrong once they are purged.
private struct BrokenHistory {
    private var last: [String: Int64] = [:]
    private var isAll = true

    mutating func note(_ violation: Violation) {
        let words = violation.place.split(separator: " ")
        guard words.count == 2, ["ACHANGE", "ATRANSACTION"].contains(words[0]), let key = Int64(words[1]) else {
            isAll = false
            return
        }
        last[String(words[0])] = max(last[String(words[0])] ?? 0, key)
    }

    /// The last transaction with such a row; nil where something else is broken too.
    func last(_ connection: Connection) throws -> Int64? {
        guard isAll else { return nil }
        let change = try connection.scalar(
            "SELECT max(ZTRANSACTIONID) FROM ACHANGE WHERE Z_PK <= ?", [.integer(last["ACHANGE"] ?? 0)])?.integerValue
        return [change, last["ATRANSACTION"]].compactMap { $0 }.max()
    }
}
