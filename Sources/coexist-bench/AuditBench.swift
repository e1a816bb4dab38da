import Bridge
import Foundation
import LegacyStack
import StoreFormat

/// What an audit of a long history takes.
enum AuditBench {
    private static let rounds = 10
    private static let rowsOfASave = 1_000

    /// Objects that are there at adoption, each changed ten times since, with the backup from adoption to compare with.
    static func run(_ count: Int, _ folder: String) throws {
        let path = try ReplayBench.store(folder, "audit")
        let before = try LegacyInstance(path: path)
        let keys = try ReplayBench.insert(count, before)
        before.close()
        try Adoption.adopt(Store.open(path), plan: Adoption.Plan(backupPath: "\(path).before"))
        let writer = try LegacyInstance(path: path)
        for round in 1...rounds {
            for first in stride(from: 0, to: keys.count, by: rowsOfASave) {
                let some = keys[first..<min(first + rowsOfASave, keys.count)]
                _ = try writer.save(
                    ObjectBatch(
                        some.map { key in
                            .update(
                                ObjectReference(entity: "Item", key: key),
                                values: ["count": .attribute(.integer(-Int64(round) * 1_000_000 - key))],
                                expecting: nil)
                        }))
            }
        }
        writer.close()
        var found: AuditReport?
        let measure = try Measure.run { found = try Audit.run(Store.open(path)) }
        guard let report = found else { return }
        print(
            "audit of \(report.changes) changes in \(report.transactions) transactions to \(report.rows) objects: "
                + "\(measure.seconds.inMilliseconds), peak \(measure.peak >> 20) MiB above the start, "
                + "\(report.violationCount) violations")
    }
}
