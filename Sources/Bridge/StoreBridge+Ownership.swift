import Foundation
import SQLite
import StoreFormat
import Synchronization

extension StoreBridge {
    /// The register; for a store that is open without adoption, nil.
    public func register() throws -> OwnershipRegister? {
        try read { try OwnershipRegister.read($0) }
    }

    /// The unit of an entity.
    /// - Throws: `StoreError` `UnknownEntity` or `NotAdopted`; `Damaged` where the register lacks it.
    public func unit(of entity: String) throws -> OwnershipRegister.Unit {
        _ = try store.layout.entity(entity)
        guard let register = try register() else {
            throw StoreError(.notAdopted, "\(store.path) has not been adopted", way: "open it for writing first")
        }
        if let unit = register.unit(ofEntity: entity) { return unit }
        throw RegisterGaps(register, store.layout).problem(store.path)
            ?? StoreError(.damaged, "the register of \(store.path) lacks \(entity)", way: "see `coexistctl verify`")
    }

    /// Refuses writes to the entity's unit until it is thawed, or the bridge is closed; owner and epoch stay.
    /// - Parameters:
    ///   - user: who wants it, for those who meet the freeze and for the log.
    ///   - reason: why.
    /// - Throws: `StoreError` `UnknownEntity`, `NotAdopted`, or `Busy` during a handover of the unit.
    @discardableResult
    public func freeze(_ entity: String, user: String? = nil, reason: String? = nil) throws -> OwnershipRegister.Unit {
        let note = FreezeNote(user: user, reason: reason, at: Date())
        return try setFreeze(.byHand, entity, user: user) { unit in
            // Who froze it first is who others have to ask.
            if !unit.isFrozen || unitsAtWork.freezes[unit.name] == nil { unitsAtWork.note(note, unit.name) }
        }
    }

    /// Who froze units by hand, and why, by the unit's name.
    public var freezes: [String: FreezeNote] { unitsAtWork.freezes }
    /// The handovers that are under way.
    public var runningHandovers: [RunningHandover] { unitsAtWork.handovers }

    /// Ends a freeze: writes to the entity's unit are let through again. Harmless where there is none.
    /// - Throws: `StoreError` `UnknownEntity` or `NotAdopted`, `Busy` during a handover of the unit, and what writing the
    ///   register throws.
    @discardableResult
    public func thaw(_ entity: String, user: String? = nil) throws -> OwnershipRegister.Unit {
        try setFreeze(nil, entity, user: user) { unitsAtWork.note(nil, $0.name) }
    }

    private func setFreeze(
        _ freeze: OwnershipRegister.Freeze?, _ entity: String, user: String?,
        note: (OwnershipRegister.Unit) -> Void
    ) throws -> OwnershipRegister.Unit {
        try checkWritable()
        let name = try unit(of: entity).name
        return try withUnitToItself(name) {
            let before = try unit(of: entity)
            let changed = try maintain { try OwnershipWriter(connection: $0).setFreeze(freeze, unit: name) }
            thaws.forget(name)
            note(before)
            if before.isFrozen != changed.isFrozen {
                let reason = freeze == nil ? nil : unitsAtWork.freezes[name]?.reason
                tell("\(name) was \(freeze == nil ? "thawed" : "frozen")", by: user, reason)
            }
            return changed
        }
    }

    /// Has a unit thawed as soon as that can be done: a handover that failed left it frozen.
    func thawLater(_ unit: OwnershipRegister.Unit, because error: any Error) {
        alarm(
            "\(unit.name) is frozen still after a handover that failed, and is thawed as soon as that can be done: \(error)"
        )
        thaws.add(unit.name) { [weak self] in try self?.thawLeft(unit.name, atEpoch: unit.epoch) }
    }

    private func thawLeft(_ name: String, atEpoch epoch: Int64) throws {
        try withUnitToItself(name) {
            guard let unit = try register()?.units[name], unit.isFrozen, unit.epoch == epoch else { return }
            _ = try maintain { try OwnershipWriter(connection: $0).setFreeze(nil, unit: name) }
            alarm("\(name) is thawed after the handover that failed: owner and epoch are as before")
        }
    }

    /// Moves the unit of the entity to another owner: preflight, freeze, replay, compare, switch. Any failure clears the
    /// freeze, and owner and epoch are as before.
    /// - Parameters:
    ///   - owner: the new owner; nil is the previous one.
    ///   - isDryRun: only the preflight, and what would be done.
    ///   - alongside: the owners of other units that are to move with it, one after the other.
    ///   - cancellation: calls it off; then it ends with `Cancelled`, owner and epoch as before.
    ///   - progress: called with each step as it ends.
    ///   - rows: told how far the preflight's comparison has got.
    /// - Returns: nil for a dry run.
    /// - Throws: `StoreError`; `Busy` if the unit is in another handover.
    public func handover(
        _ entity: String, to owner: StackName?, isDryRun: Bool = false, user: String? = nil, reason: String? = nil,
        alongside: [String: StackName] = [:], cancellation: Cancellation = Cancellation(),
        progress: (HandoverStep) -> Void = { _ in }, rows: (Comparison.Progress) -> Void = { _ in }
    ) throws -> HandoverResult? {
        func run(_ report: (HandoverStep) -> Void) throws -> HandoverResult? {
            let (unit, owner) = try checkHandover(entity, to: owner)
            if !isDryRun {
                unitsAtWork.note(
                    RunningHandover(
                        unit: unit.name, entities: unit.entities, owner: owner, user: user, reason: reason, at: Date()))
            }
            return try withoutActuallyEscaping(rows) { rows in
                try withoutActuallyEscaping(report) { report in
                    let run = HandoverRun(
                        bridge: self, entity: entity, unit: unit, owner: owner,
                        cause: OwnershipWriter.Cause(user: user, reason: reason), alongside: alongside,
                        cancellation: cancellation, rows: rows, report: report)
                    return try holds.hold(lastTransaction) {
                        try isDryRun ? run.run(isDryRun: true) : telling(of: run) { try run.run(isDryRun: false) }
                    }
                }
            }
        }
        // What only looks is in nobody's way.
        if isDryRun { return try run(progress) }
        try checkWritable()
        let name = try unit(of: entity).name
        return try withUnitToItself(name) {
            try run { step in
                unitsAtWork.passed(step.name, name)
                progress(step)
            }
        }
    }

    /// Tells the log of a handover: that it begins, and how it ends.
    private func telling(of run: HandoverRun, _ body: () throws -> HandoverResult?) throws -> HandoverResult? {
        let what = "handover of \(run.unit.entities.joined(separator: ", ")) to the \(run.owner.rawValue) stack"
        tell("\(what) begins", by: run.cause.user, run.cause.reason)
        do {
            let result = try body()
            if let result { tell("\(what) is done: epoch \(result.epoch), after \(result.token)", by: run.cause.user) }
            return result
        } catch {
            let isCalledOff = (error as? StoreError)?.code == .cancelled
            tell("\(what) \(isCalledOff ? "was called off" : "failed"): \(error)", by: run.cause.user)
            throw error
        }
    }

    /// Tells the log of an administrative act.
    func tell(_ what: String, by user: String?, _ reason: String? = nil) {
        let reason = reason.map { " (\($0))" } ?? ""
        tell("\(what)\(user.map { ", by \($0)" } ?? "")\(reason)")
    }

    /// Looks whether there is anything that refuses a handover before its preflight: for one of many, so that none is done
    /// where another cannot be.
    /// - Returns: the entity's unit, and who would own it.
    /// - Throws: `StoreError` `Refused`, `UnknownEntity` or `NotAdopted`.
    @discardableResult
    public func checkHandover(
        _ entity: String, to owner: StackName?
    ) throws -> (unit: OwnershipRegister.Unit, owner: StackName) {
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
        return (unit, owner)
    }

    /// Looks at several handovers at once: what refuses one of them refuses all.
    /// - Returns: the unit of each entity, by name.
    /// - Throws: `StoreError`: what `checkHandover(_:to:)` throws, `Refused` for a unit that is frozen, `Busy` for one that
    ///   is in another handover, and what `checkWritable()` throws, unless it is a dry run.
    public func checkHandovers(_ entities: [String], to owner: StackName?, isDryRun: Bool) throws -> [String] {
        if !isDryRun { try checkWritable() }
        return try entities.map { entity in
            let unit = try checkHandover(entity, to: owner).unit
            // Of one alone the preflight says so, as a step of its own.
            guard entities.count > 1 else { return unit.name }
            guard isDryRun || !unitsAtWork.contains(unit.name) else { throw Self.atWork(unit.name) }
            guard !unit.isFrozen else {
                throw StoreError(
                    .refused, "\(unit.name) is frozen already", way: "thaw it first: `coexistctl thaw \(entity)`")
            }
            return unit.name
        }
    }

    private static func atWork(_ name: String) -> StoreError {
        StoreError(
            .busy, "\(name) is being handed over just now",
            way: "wait until the handover has ended, which `coexistctl status` shows, or end it by ending its client")
    }

    /// One handover, freeze or thaw of a unit at a time: who thaws in the middle of a handover would let writes in that
    /// nobody compares.
    private func withUnitToItself<T>(_ name: String, _ body: () throws -> T) throws -> T {
        guard unitsAtWork.begin(name) else { throw Self.atWork(name) }
        defer { unitsAtWork.end(name) }
        return try body()
    }

    /// Every change of owner of the entity's unit, or of all, oldest first.
    /// - Throws: `StoreError` `UnknownEntity` or `NotAdopted`.
    public func handovers(of entity: String? = nil) throws -> [HandoverRecord] {
        let name = try entity.map { try self.unit(of: $0).name }
        guard try register() != nil else { return [] }
        return try read { try HandoverRecord.read($0, unit: name) }
    }
}
