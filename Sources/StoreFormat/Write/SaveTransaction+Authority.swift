import SQLite
import StoreModel

/// Who may write what: entities, at the epoch that the instance holds.
extension SaveTransaction {
    /// Whether this stack may write the entity's rows. In a store that has not been adopted everybody may.
    public func owns(_ entity: String) -> Bool {
        guard let unit = register?.unit(ofEntity: entity) else { return register == nil }
        return unit.owner == authority.stack
    }

    /// Checks, for all entities whose rows change, that this stack owns them, at the epoch that it holds.
    /// - Parameter objects: the objects of an entity that the save is about, without reasons; only asked for in a refusal.
    /// - Throws: `StoreError` `OwnershipViolation`, `StaleEpoch` or `Frozen`, naming every offending object;
    ///   `BehindSwitch` for an instance that became the owner since it last replayed.
    public func authorize(_ entities: some Collection<EntityLayout>, objects: (String) -> [StoreError.Offence]) throws {
        var offences: [StoreError.Offence] = []
        var code: StoreError.Code?
        var isBehind = true
        for entity in entities {
            if let (reason, why) = refusal(of: entity.name) {
                let unit = register?.unit(ofEntity: entity.name)
                code = code ?? why
                isBehind = try isBehind && why == .staleEpoch && !heldOwnership(of: unit)
                offences += objects(entity.name).map {
                    var offence = $0
                    (offence.owner, offence.epoch, offence.reason) = (unit?.owner, unit?.epoch, reason)
                    return offence
                }
            } else {
                authorized.insert(entity.number)
                if let unit = register?.unitOfEntity[entity.name] { touchedUnits.insert(unit) }
            }
        }
        guard let code else { return }
        let refusal = refusal(code, offences)
        if isBehind { throw BehindSwitch(refusal: refusal) }
        throw refusal
    }

    private func refusal(of entity: String) -> (String, StoreError.Code)? {
        guard let register else { return nil }
        guard let unit = register.unit(ofEntity: entity) else {
            return ("\(entity) is not in the ownership register, of which somebody removed a part", .damaged)
        }
        if unit.owner != authority.stack {
            return ("\(entity) is owned by the \(unit.owner.rawValue) stack (epoch \(unit.epoch))", .ownershipViolation)
        }
        if let freeze = unit.freeze {
            return ("\(entity) is frozen \(freeze.words) (epoch \(unit.epoch))", .frozen)
        }
        let held = authority.epochs[unit.name]
        if held != unit.epoch {
            let text = held.map { "epoch \($0)" } ?? "no epoch"
            return ("this instance holds \(text) for \(entity), the register is at \(unit.epoch)", .staleEpoch)
        }
        return nil
    }

    /// Whether this stack owned the unit at the epoch that the instance holds. If not, the instance knows nothing yet of
    /// being its owner, and cannot have written on a stale authority.
    private func heldOwnership(of unit: OwnershipRegister.Unit?) throws -> Bool {
        guard let unit, let held = authority.epochs[unit.name] else { return false }
        let owner = try connection.scalar(
            """
            SELECT coalesce((SELECT OWNER FROM COEXIST_HANDOVER WHERE UNIT = ?1 AND EPOCH = ?2),
                (SELECT PREVIOUS FROM COEXIST_HANDOVER WHERE UNIT = ?1 AND EPOCH = ?2 + 1))
            """, [.text(unit.name), .integer(held)])
        return owner?.textValue != authority.stack.other.rawValue
    }

    private func refusal(_ code: StoreError.Code, _ offences: [StoreError.Offence]) -> StoreError {
        var reasons: [String] = []
        for offence in offences where !reasons.contains(offence.reason) { reasons.append(offence.reason) }
        let first = "the \(authority.stack.rawValue) stack may not write "
        let message =
            reasons.count == 1
            ? "\(first)\(StoreError.list(offences)). \(reasons[0])"
            : "\(first)\(offences.count) objects. "
                + reasons.map { reason in
                    "\(reason): \(StoreError.list(offences.filter { $0.reason == reason }))"
                }.joined(separator: ". ")
        let entity = offences.first?.object.entity
        return StoreError(
            code, message, way: way(code, entity ?? "ENTITY", register?.unit(ofEntity: entity ?? "")?.freeze),
            objects: offences)
    }

    /// What the person can do about a refusal.
    func way(_ code: StoreError.Code, _ entity: String, _ freeze: OwnershipRegister.Freeze?) -> String {
        let (own, other) = (authority.stack.rawValue, authority.stack.other.rawValue)
        return switch (code, freeze) {
        case (.frozen, .byHand?):
            "save again when who froze it has thawed it; `coexistctl owners` tells who that is"
        case (.frozen, _): "save again when the handover is done; `coexistctl status` tells how far it has got"
        case (.staleEpoch, _): "refresh, and save again"
        case (.damaged, _):
            "`coexistctl verify STORE --repair` enters what follows from the model; or release the store: `coexistctl release`"
        default:
            "write through the \(other) stack (coexistctl: `--stack \(other)`), or hand it over: "
                + "`coexistctl handover \(entity) --to \(own)`"
        }
    }

    func requireAuthority(_ entity: EntityLayout, _ key: Int64) throws {
        guard !authorized.contains(entity.number) else { return }
        try authorize([entity]) { [.init(object: ObjectReference(entity: $0, key: key), reason: "")] }
    }
}
