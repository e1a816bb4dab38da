import SQLite
import StoreFormat

/// Who owned what when, from the records of the handovers alone.
struct EpochRecord {
    private struct Epoch {
        var owner: String
        /// The last transaction before it began.
        var after: Int64
    }

    /// A unit's epochs, from 1 on.
    private var epochs: [String: [Epoch]] = [:]
    private var units: [Int64: String] = [:]

    init(_ connection: Connection) throws {
        for row in try connection.query("SELECT NUMBER, UNIT FROM COEXIST_ENTITY") {
            if let number = row[0].integerValue { units[number] = row[1].textValue }
        }
        for row in try connection.query("SELECT NAME, OWNER FROM COEXIST_UNIT") {
            epochs[row[0].textValue ?? ""] = [Epoch(owner: row[1].textValue ?? "", after: 0)]
        }
        for row in try connection.query("SELECT UNIT, PREVIOUS, OWNER, NUMBER FROM COEXIST_HANDOVER ORDER BY ID") {
            guard let unit = row[0].textValue, let number = row[3].integerValue else { continue }
            if epochs[unit]?.count == 1 { epochs[unit]?[0].owner = row[1].textValue ?? "" }
            epochs[unit]?.append(Epoch(owner: row[2].textValue ?? "", after: number))
        }
    }

    /// What is wrong with a transaction's claim to have been the owner's; nil if nothing is.
    func fault(of transaction: Ledger.Transaction, stack: StackName) -> String? {
        guard let number = transaction.changes.first?.entity, let unit = units[number], let list = epochs[unit] else {
            return "wrote an entity that is not in the register"
        }
        let index = list.lastIndex { $0.after < transaction.number } ?? 0
        guard list[index].owner == stack.rawValue else {
            return "wrote \(unit) through the \(stack.rawValue) stack, and its owner was \(list[index].owner)"
        }
        let claim = "\(unit)=\(index + 1)"
        return transaction.epochs == claim ? nil : "claims \(transaction.epochs ?? "no epoch"), and it was \(claim)"
    }
}
