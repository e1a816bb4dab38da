import SQLite
import StoreFormat

/// Who owned which unit at which transaction, from the record of handovers.
struct OwnershipTimeline {
    /// A time of one owner.
    struct Tenure {
        var owner: StackName
        var epoch: Int64
        /// It begins with the transaction after this one.
        var after: Int64
    }

    private var tenures: [String: [Tenure]] = [:]
    private let register: OwnershipRegister
    /// Where the record contradicts itself, or the register: the unit, and what.
    private(set) var contradictions: [(unit: String, what: String)] = []
    /// The units that a migration made of several, the transaction from whose end on each is one, and what is said of it.
    private(set) var beginnings: [(unit: String, number: Int64, why: String?)] = []

    init(_ connection: Connection, register: OwnershipRegister) throws {
        self.register = register
        let records = Dictionary(grouping: try HandoverRecord.read(connection), by: \.unit)
        for unit in register.units.values.sorted(by: { $0.name < $1.name }) {
            var records = records[unit.name] ?? []
            var list = [Tenure(owner: records.first?.previous ?? unit.owner, epoch: 1, after: 0)]
            // A record without an owner before begins a unit that was several, each with a story of its own.
            if let first = records.lastIndex(where: { $0.previous == nil }) {
                let record = records[first]
                beginnings.append((unit.name, record.number, record.reason))
                list = [Tenure(owner: record.owner, epoch: record.epoch, after: record.number)]
                records.removeFirst(first + 1)
            }
            for record in records {
                let before = list[list.count - 1]
                if record.epoch != before.epoch &+ 1 {
                    contradict(unit, "a handover began epoch \(record.epoch) after epoch \(before.epoch)")
                }
                if record.previous != before.owner || record.owner == before.owner {
                    contradict(
                        unit,
                        "the handover to epoch \(record.epoch) was from \(record.previous?.rawValue ?? "nobody") to "
                            + "\(record.owner.rawValue), but \(before.owner.rawValue) was the owner")
                }
                if record.number < before.after {
                    contradict(
                        unit, "the handover to epoch \(record.epoch) lies before the one to epoch \(before.epoch)")
                }
                list.append(Tenure(owner: record.owner, epoch: record.epoch, after: record.number))
            }
            let last = list[list.count - 1]
            if last.epoch != unit.epoch || last.owner != unit.owner {
                contradict(
                    unit,
                    "the register says \(unit.owner.rawValue) at epoch \(unit.epoch), the record of handovers ends with "
                        + "\(last.owner.rawValue) at epoch \(last.epoch)")
            }
            tenures[unit.name] = list
        }
    }

    private mutating func contradict(_ unit: OwnershipRegister.Unit, _ what: String) {
        contradictions.append((unit.name, what))
    }

    /// Whether there is a unit of that name.
    func isUnit(_ name: String) -> Bool { tenures[name] != nil }
    /// The unit of an entity.
    func unit(ofEntity entity: String) -> String? { register.unitOfEntity[entity] }
    /// The unit that owns a join table's rows.
    func unit(ofJoinTable table: String) -> String? { register.unitOfJoinTable[table] }

    /// Who owned the unit when that transaction was written; nil also where that lies before its beginning.
    func tenure(of unit: String, at number: Int64) -> Tenure? { tenures[unit]?.last { $0.after < number } }
}
