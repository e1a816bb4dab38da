import Foundation
import SQLite
import StoreFormat

extension StoreBridge {
    /// The register; for a store that is open without adoption, nil.
    public func register() throws -> OwnershipRegister? {
        try read { try OwnershipRegister.read($0) }
    }

    /// The unit of an entity.
    /// - Throws: `StoreError` `UnknownEntity` or `NotAdopted`.
    public func unit(of entity: String) throws -> OwnershipRegister.Unit {
        _ = try store.layout.entity(entity)
        guard let unit = try register()?.unit(ofEntity: entity) else {
            throw StoreError(.notAdopted, "\(store.path) has not been adopted", way: "open it for writing first")
        }
        return unit
    }

    /// Refuses writes to the entity's unit until it is thawed; owner and epoch stay.
    @discardableResult
    public func freeze(_ entity: String) throws -> OwnershipRegister.Unit {
        try checkWritable()
        let unit = try unit(of: entity)
        let store = store
        return try maintain { try OwnershipWriter(connection: $0).setFrozen(true, unit: unit.name, store: store).0 }
    }

    /// Ends a freeze: writes to the entity's unit are let through again. Harmless where there is none.
    /// - Throws: `StoreError` `UnknownEntity` or `NotAdopted`, and what writing the register throws.
    @discardableResult
    public func thaw(_ entity: String) throws -> OwnershipRegister.Unit {
        try checkWritable()
        let unit = try unit(of: entity)
        let store = store
        return try maintain { try OwnershipWriter(connection: $0).setFrozen(false, unit: unit.name, store: store).0 }
    }

    /// Moves the unit of the entity to another owner: preflight, freeze, replay, compare, switch. Any failure clears the
    /// freeze, and owner and epoch are as before.
    /// - Parameters:
    ///   - owner: the new owner; nil is the previous one.
    ///   - isDryRun: only the preflight.
    ///   - progress: called with each step as it ends.
    /// - Returns: nil for a dry run.
    /// - Throws: `StoreError`.
    public func handover(
        _ entity: String, to owner: StackName?, isDryRun: Bool = false, user: String? = nil, reason: String? = nil,
        progress: (HandoverStep) -> Void = { _ in }
    ) throws -> HandoverResult? {
        try checkWritable()
        let unit = try unit(of: entity)
        guard let owner = owner ?? unit.previous else {
            throw StoreError(
                .refused, "\(entity) has no previous owner: it was never handed over",
                way: "name the owner: --to legacy or --to model")
        }
        guard unit.owner != owner else {
            throw StoreError(
                .refused, "\(entity) is owned by the \(owner.rawValue) stack already", way: "there is nothing to do")
        }
        let position = try preflight(unit, to: owner, progress: progress)
        if isDryRun { return nil }
        let store = store
        let (frozen, last) = try maintain {
            try OwnershipWriter(connection: $0).setFrozen(true, unit: unit.name, store: store)
        }
        do {
            progress(
                HandoverStep(
                    .freeze,
                    detail: "writes to \(unit.entities.joined(separator: ", ")) are refused from transaction \(last) on"
                ))
            try replay(to: last)
            progress(HandoverStep(.replay, detail: "both stacks are at transaction \(last)"))
            try compareChanged(unit, after: position, progress: progress)
            let cause = OwnershipWriter.Cause(user: user, reason: reason)
            let (switched, number) = try maintain {
                try OwnershipWriter(connection: $0)
                    .switchOwner(unit: unit.name, to: owner, atEpoch: frozen.epoch, cause: cause, store: store)
            }
            // Both instances read the new epochs, so that the new owner's next save is let through.
            for instance in [legacy, model] { try instance.apply([]) }
            progress(HandoverStep(.switch, detail: "owned by the \(owner.rawValue) stack at epoch \(switched.epoch)"))
            let timeline = try read { try CoexistenceState.read($0).timeline }
            return HandoverResult(
                entity: entity, unit: unit.entities, owner: owner, epoch: switched.epoch,
                token: HistoryToken(storeUUID: store.uuid, timeline: timeline, transaction: number))
        } catch {
            _ = try? maintain { try OwnershipWriter(connection: $0).setFrozen(false, unit: unit.name, store: store) }
            progress(HandoverStep(.thaw, isPassed: false, detail: "undone: owner and epoch are as before"))
            throw error
        }
    }

    /// - Returns: the transaction that the comparison is good for.
    private func preflight(
        _ unit: OwnershipRegister.Unit, to owner: StackName, progress: (HandoverStep) -> Void
    ) throws -> Int64 {
        func failed(_ detail: String, _ way: String) -> StoreError {
            progress(HandoverStep(.preflight, isPassed: false, detail: detail))
            return StoreError(.refused, "the preflight failed: \(detail)", way: way)
        }
        guard !unit.isFrozen else { throw failed("\(unit.name) is frozen already", "thaw it first") }
        guard legacy.store.metadata.versionHashes == model.store.metadata.versionHashes else {
            throw failed("the two stacks opened different schemas", "restart the daemon")
        }
        let last = try extent().last
        try replay(to: last)
        var rows = 0
        for entity in unit.entities where store.layout[entity]?.isAbstract != true {
            let result = try Comparison.compare(entity: entity, legacy: legacy, model: model, limit: 10)
            rows += result.rows
            if let first = result.differences.first {
                throw failed(
                    "\(first.object) reads differently: \(first.property ?? "the object") is \(first.legacy) in legacy, \(first.model) in model",
                    "see `coexistctl compare \(entity)`")
            }
        }
        progress(
            HandoverStep(
                .preflight,
                detail: "schemas agree, \(rows) rows read equal through both stacks" + crossings(unit, owner)))
        return last
    }

    /// Delete rules that will reach rows of the other owner.
    private func crossings(_ unit: OwnershipRegister.Unit, _ owner: StackName) -> String {
        guard let register = try? register() else { return "" }
        let names = unit.entities.flatMap { entity -> [String] in
            (store.layout[entity]?.relationships ?? []).compactMap { relationship in
                guard relationship.description.deleteRule == .cascade || relationship.description.deleteRule == .deny,
                    let other = register.unit(ofEntity: relationship.description.destinationEntityName),
                    other.name != unit.name, other.owner != owner
                else { return nil }
                return "\(entity).\(relationship.name)"
            }
        }
        return names.isEmpty
            ? ""
            : "; deletes that these rules carry to the other owner's rows will be refused: "
                + names.joined(separator: ", ")
    }

    private func compareChanged(
        _ unit: OwnershipRegister.Unit, after position: Int64, progress: (HandoverStep) -> Void
    ) throws {
        let entities = Set(unit.entities)
        var changed: Set<ObjectReference> = []
        var last = position
        let store = store
        while true {
            let number = last
            let batch = try read {
                try HistoryReader($0, store: store).transactions(after: number, changeLimit: 10_000)
            }
            guard let newest = batch.last else { break }
            last = newest.number
            for change in batch.flatMap(\.changes) where entities.contains(change.object.entity) {
                changed.insert(change.object)
            }
        }
        for object in changed.sorted() {
            if let first = try Comparison.compare(object, legacy: legacy, model: model).first {
                progress(
                    HandoverStep(
                        .compare, isPassed: false,
                        detail: "\(object) reads differently: \(first.property ?? "the object")"))
                throw StoreError(
                    .refused, "\(object) reads differently through the two stacks",
                    way: "see `coexistctl compare \(object.entity)`")
            }
        }
        progress(HandoverStep(.compare, detail: "\(changed.count) objects changed since the preflight, all read equal"))
    }
}
