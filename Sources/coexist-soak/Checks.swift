import Bridge
import Foundation
import SQLite
import StoreFormat

/// What must hold at the end, whatever happened to the workers.
final class Checks {
    let evidence: Evidence
    private let store: String
    private let ledger: Ledger
    private(set) var violations: [String] = []
    private(set) var entries = 0
    var transactions: Int { ledger.transactions.count }

    init(store: String, workers: [WorkerProcess], ledger: Ledger) {
        self.store = store
        self.ledger = ledger
        evidence = Evidence(workers)
    }

    private func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
        if !condition, violations.count < 100 { violations.append(message()) }
    }

    func run(_ bridge: StoreBridge) throws {
        for text in evidence.early { expect(false, text) }
        try bridge.replay()
        try bridge.read { connection in
            try connection.transaction(.deferred) {
                let rows = try checkRows(connection)
                try checkHistory(connection, rows)
                for problem in try connection.integrityProblems() { expect(false, "integrity: \(problem)") }
                for violation in try StoreVerifier.verify(connection, store: bridge.store)
                where violation.severity == .error {
                    expect(false, "verify: \(violation.rule): \(violation.place): \(violation.what)")
                }
            }
        }
        for entity in CounterTypes.names {
            let result = try bridge.compare(entities: [entity], limit: 5)
            for difference in result.differences {
                expect(
                    false,
                    "compare: \(difference.object) \(difference.property ?? "") reads \(difference.legacy) through the "
                        + "legacy stack and \(difference.model) through the model stack")
            }
        }
    }

    /// No update is lost and none is made up: a counter is as high as the entries that tell of it, every save that a
    /// worker was told had succeeded has its entry, and no refused one has.
    /// - Returns: the entries by entity number and key.
    private func checkRows(_ connection: Connection) throws -> [[Int64]: String] {
        var texts: [String: Int] = [:]
        var places: [[Int64]: String] = [:]
        for entity in CounterTypes.names {
            var counters: [Int64: Int64] = [:]
            var told: [Int64: Int64] = [:]
            let sql = "SELECT Z_PK, Z_ENT, ZVALUE, ZENTRY FROM \("Z\(entity.uppercased())".sqlIdentifier)"
            try connection.prepare(sql).forEach { row in
                guard let text = row.text(3) else {
                    counters[row.integer(0)] = row.integer(2)
                    return
                }
                told[row.integer(2), default: 0] += 1
                texts[text, default: 0] += 1
                places[[row.integer(1), row.integer(0)]] = text
                let save = evidence.saves[text]
                expect(save != nil, "\(entity) has the entry \(text), which no worker tried")
                expect(
                    save.map { $0.entity == entity && $0.counter == row.integer(2) } ?? true,
                    "the entry \(text) is with \(entity)/\(row.integer(2)), and was meant for another counter")
                if case .refused? = save?.outcome {
                    expect(false, "\(entity) has the entry \(text), whose save was refused")
                }
            }
            for counter in 1...Worker.counters {
                let (value, count) = (counters[counter] ?? -1, told[counter] ?? 0)
                expect(value == count, "\(entity)/\(counter) is \(value), and \(count) entries tell of an addition")
            }
        }
        for (text, count) in texts { expect(count == 1, "\(count) entries say \(text)") }
        for (text, save) in evidence.saves where save.outcome == .saved && texts[text] == nil {
            expect(false, "\(save.entity)/\(save.counter): the save \(text) had succeeded, and its entry is not there")
        }
        entries = texts.count
        return places
    }

    /// No save without history and no history without a save; and each by the stack, at the epoch and in the name that
    /// the register and the workers say.
    private func checkHistory(_ connection: Connection, _ places: [[Int64]: String]) throws {
        let owners = try EpochRecord(connection)
        var seen = Set<String>()
        for transaction in ledger.transactions {
            let name = "transaction \(transaction.number)"
            guard let worker = evidence.workers[transaction.instance ?? ""] else {
                expect(false, "\(name) is by an instance of no worker: \(transaction.instance ?? "none")")
                continue
            }
            expect(
                transaction.author == worker.name.author,
                "\(name) is by \(worker.name.author), and its author is \(transaction.author ?? "none")")
            expect(
                transaction.stack == worker.stack.rawValue,
                "\(name) is by a worker of the \(worker.stack.rawValue) stack and says \(transaction.stack ?? "none")")
            let inserts = transaction.changes.filter { $0.kind == 0 }
            let updates = transaction.changes.filter { $0.kind == 1 && $0.key <= Worker.counters }
            guard inserts.count == 1, updates.count == 1, transaction.changes.count == 2 else {
                expect(false, "\(name) has \(transaction.changes.count) changes, and not one entry and one counter")
                continue
            }
            guard let text = places[[inserts[0].entity, inserts[0].key]] else {
                expect(false, "\(name) tells of an entry that is not there")
                continue
            }
            expect(text.hasPrefix("\(worker.name.text)."), "\(name) is by \(worker.name.text) and made \(text)")
            expect(seen.insert(text).inserted, "two transactions made \(text)")
            if let fault = owners.fault(of: transaction, stack: worker.stack) { expect(false, "\(name) \(fault)") }
        }
        for text in Set(places.values).subtracting(seen) { expect(false, "the entry \(text) is in no transaction") }
    }
}
