import SQLite
import StoreFormat

/// One handover of one unit, from the preflight to the switch.
struct HandoverRun {
    let bridge: StoreBridge
    let entity: String
    let unit: OwnershipRegister.Unit
    let owner: StackName
    let cause: OwnershipWriter.Cause
    /// Who the units will have that move in the same call.
    let alongside: [String: StackName]
    let cancellation: Cancellation
    let rows: (Comparison.Progress) -> Void
    let report: (HandoverStep) -> Void

    private var store: Store { bridge.store }
    private var names: String { unit.entities.joined(separator: ", ") }

    /// Until the switch's commit the handover can be called off.
    private func checkCalledOff() throws {
        try cancellation.check("the handover of \(names) to the \(owner.rawValue) stack")
    }

    func run(isDryRun: Bool) throws -> HandoverResult? {
        let position = try preflight()
        if isDryRun {
            report(
                HandoverStep(
                    .plan,
                    detail: "\(names) would go from the \(unit.owner.rawValue) to the \(owner.rawValue) stack, epoch "
                        + "\(unit.epoch) to \(unit.epoch + 1): freeze, replay, compare what changed, switch; nothing was written"
                ))
            return nil
        }
        bridge.options.handoverProbe(.preflightPassed)
        try checkCalledOff()
        let last = try bridge.maintain { try OwnershipWriter(connection: $0).freeze(unit, store: store) }
        do {
            return try whileFrozen(at: last, comparedTo: position)
        } catch {
            try undo(error)
            throw error
        }
    }

    /// - Returns: the transaction that the comparison is good for.
    private func preflight() throws -> Int64 {
        guard !unit.isFrozen else {
            let note = bridge.freezes[unit.name].map { " (\($0.description))" } ?? ""
            let detail = "\(unit.name) is frozen already\(note)"
            report(HandoverStep(.preflight, isPassed: false, detail: detail))
            throw StoreError(
                .refused, "the preflight failed: \(detail)", way: "thaw it first: `coexistctl thaw \(entity)`")
        }
        let outcome = try Preflight(
            bridge: bridge, unit: unit, owner: owner, alongside: alongside, checkCalledOff: checkCalledOff,
            progress: rows
        ).run()
        if !outcome.failures.isEmpty {
            let detail = outcome.failures.map(\.detail).joined(separator: "; ")
            report(HandoverStep(.preflight, isPassed: false, detail: detail, checks: outcome.checks))
            throw StoreError(
                .refused, "the preflight failed: \(detail)",
                way: outcome.failures.compactMap(\.way).joined(separator: "; ") + "; nothing has been changed")
        }
        let crossings = outcome.checks.first { $0.name == .deletes && $0.detail.contains(":") }.map { "; \($0.detail)" }
        report(
            HandoverStep(
                .preflight,
                detail: "schemas agree, \(CountText.text(outcome.rows, "row")) read equal through both stacks"
                    + (crossings ?? ""),
                checks: outcome.checks))
        return try catchUp(from: outcome.position)
    }

    /// Compares what writers changed while the rows were read, until so little is left that the freeze will be short.
    private func catchUp(from position: Int64) throws -> Int64 {
        var position = position
        for _ in 0..<5 {
            let changed = try compareChanged(after: position)
            try refuse(changed)
            position = changed.position
            if changed.objects < 1_000 { break }
        }
        return position
    }

    private func whileFrozen(at last: Int64, comparedTo position: Int64) throws -> HandoverResult {
        let probe = bridge.options.handoverProbe
        report(HandoverStep(.freeze, detail: "writes to \(names) are refused from transaction \(last) on"))
        probe(.frozen)
        try checkCalledOff()
        try bridge.replay(to: last)
        report(HandoverStep(.replay, detail: "both stacks are at transaction \(last)"))
        probe(.replayed)
        try checkCalledOff()
        let changed = try compareChanged(after: position)
        try refuse(changed)
        report(
            HandoverStep(
                .compare,
                detail: "\(CountText.text(changed.objects, "object")) changed since the preflight, all read equal"))
        probe(.compared)
        try checkCalledOff()
        let (switched, number) = try bridge.maintain {
            try OwnershipWriter(connection: $0).switchOwner(
                unit: unit.name, to: owner, atEpoch: unit.epoch, cause: cause, store: store,
                beforeCommit: {
                    probe(.beforeCommit)
                    try checkCalledOff()
                })
        }
        probe(.afterCommit)
        return try finish(switched, number)
    }

    /// After the switch's commit nothing can fail it any more: an instance that cannot read its new epochs now does so
    /// with its next replay.
    private func finish(_ switched: OwnershipRegister.Unit, _ number: Int64) throws -> HandoverResult {
        for instance in [bridge.legacy, bridge.model] { try? instance.apply([]) }
        report(
            HandoverStep(.switch, detail: "owned by the \(owner.rawValue) stack at epoch \(switched.epoch)"))
        let timeline = try bridge.read { try CoexistenceState.read($0).timeline }
        return HandoverResult(
            entity: entity, unit: unit.entities, owner: owner, epoch: switched.epoch,
            token: HistoryToken(storeUUID: store.uuid, timeline: timeline, transaction: number))
    }

    /// Clears the flag, unless the switch went through: its commit may have reported a failure and be there.
    private func undo(_ error: any Error) throws {
        do {
            let now = try bridge.unit(of: entity)
            guard now.epoch == unit.epoch else {
                report(HandoverStep(.switch, detail: "owned by the \(now.owner.rawValue) stack at epoch \(now.epoch)"))
                return
            }
            _ = try bridge.maintain { try OwnershipWriter(connection: $0).setFreeze(nil, unit: unit.name) }
            report(HandoverStep(.thaw, isPassed: false, detail: "undone: owner and epoch are as before"))
        } catch let failure {
            bridge.thawLater(unit, because: failure)
            report(
                HandoverStep(
                    .thaw, isPassed: false,
                    detail:
                        "\(unit.name) is still frozen, as that could not be undone (\(failure)): the daemon tries again "
                        + "until it can, and its next start does it"))
        }
    }

    // MARK: What changed

    private struct Changed {
        var objects = 0
        /// The last transaction that was looked at.
        var position: Int64
        var differences: [Comparison.Difference] = []
    }

    /// Compares the unit's objects that history names after a transaction, a bounded batch of history at a time.
    private func compareChanged(after position: Int64) throws -> Changed {
        let entities = Set(unit.entities)
        var changed = Changed(position: position)
        var attempts = 0
        while changed.differences.isEmpty {
            try checkCalledOff()
            let number = changed.position
            let batch: [HistoryTransaction]
            do {
                batch = try bridge.read {
                    try HistoryReader($0, store: store)
                        .transactions(after: number, changeLimit: 10_000, largest: 10_000)
                }
            } catch let error as StoreError where error.code == .tokenExpired && attempts < 3 {
                // A program with stacks of its own has purged what this works from: all is compared once more.
                attempts += 1
                try compareAll(&changed)
                continue
            }
            guard let newest = batch.last else { break }
            // Of a transaction that is too large to name its objects, all objects of its entities are compared.
            for name in entities.intersection(batch.compactMap(\.changedEntities).joined()).sorted() {
                let result = try bridge.compare(entities: [name], limit: 1) { _ in try checkCalledOff() }
                changed.objects += result.rows
                changed.differences += result.differences
            }
            let objects = Set(batch.flatMap(\.changes).map(\.object).filter { entities.contains($0.entity) })
            for object in objects.sorted() where changed.differences.isEmpty {
                try checkCalledOff()
                changed.differences = try bridge.comparison.compare(object)
            }
            changed.objects += objects.count
            changed.position = newest.number
        }
        return changed
    }

    private func compareAll(_ changed: inout Changed) throws {
        let newest = try bridge.lastTransaction()
        try bridge.replay(to: newest)
        let result = try bridge.compare(entities: unit.entities, limit: 1)
        changed.objects += result.rows
        changed.differences += result.differences
        changed.position = newest
    }

    private func refuse(_ changed: Changed) throws {
        guard let first = changed.differences.first else { return }
        let text = Preflight.text(first, of: 1)
        report(HandoverStep(.compare, isPassed: false, detail: text))
        throw StoreError(.refused, text, way: "see `coexistctl compare \(first.object.entity)`")
    }
}
