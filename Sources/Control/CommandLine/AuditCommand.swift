import Bridge
import Foundation
import StoreFormat
import Varlink

/// `coexistctl audit`, and the thaw of a store without a daemon.
extension StoreCommands {
    static let audit = Command(
        "audit", "STORE [--since BACKUP] [--model MODEL]",
        "Proves from history and the ownership record that every entity had one writer",
        options: ["since", "model"], operands: 1...1, run: runAudit)
    static let thaw = Command(
        "thaw", "STORE [ENTITY]", "Ends freezes whose daemon is gone: of one unit, or of all", operands: 1...2,
        run: runThaw)

    private static func runAudit(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let store = try open(arguments)
        let bar = ProgressBar("auditing")
        defer { bar.finish() }
        let model = arguments.value("model") == nil ? nil : store.model
        let report = try Audit.run(store, since: arguments.value("since"), model: model) { progress in
            bar.update(progress.done, of: progress.total)
        }
        bar.finish()
        if output.isJSON { output.json(json(report)) } else { print(report, output) }
        return report.violationCount == 0 ? 0 : 1
    }

    private static func json(_ report: AuditReport) -> JSON {
        [
            "violations": .array(
                report.violations.map { violation in
                    [
                        "rule": .string(violation.rule.rawValue), "where": .string(violation.place),
                        "what": .string(violation.what),
                    ]
                }),
            "violationCount": JSON(report.violationCount), "transactions": JSON(report.transactions),
            "changes": JSON(report.changes), "after": .integer(report.start), "last": .integer(report.last),
            "rows": JSON(report.rows), "pairs": JSON(report.pairs),
            "backup": report.backup.map { .string($0) } ?? .null,
            "foreign": .array(report.foreign.map(json)), "foreignCount": JSON(report.foreignCount),
            "migrations": .array(report.migrations.map(json)),
            "notes": .array(report.notes.map { .string($0) }),
        ]
    }

    private static func json(_ foreign: AuditReport.ForeignTransaction) -> JSON {
        [
            "transaction": .integer(foreign.number), "timestamp": .string(time(foreign.timestamp)),
            "program": foreign.program.map { .string($0) } ?? .null,
            "entities": .array(foreign.entities.map { .string($0) }),
        ]
    }

    private static func json(_ migration: AuditReport.Migration) -> JSON {
        [
            "transaction": .integer(migration.number), "timestamp": .string(time(migration.timestamp)),
            "program": migration.program.map { .string($0) } ?? .null,
            "digestBefore": migration.digestBefore.map { .string($0) } ?? .null,
        ]
    }

    private static func time(_ timestamp: Double) -> String {
        DateText.text(Date(timeIntervalSinceReferenceDate: timestamp)) ?? "\(timestamp)"
    }

    private static func print(_ report: AuditReport, _ output: Output) {
        for violation in report.violations {
            output.line("\(violation.rule.rawValue): \(violation.place): \(violation.what)")
        }
        if report.violationCount > report.violations.count {
            output.line("and \(report.violationCount - report.violations.count) more violations")
        }
        for foreign in report.foreign {
            output.line(
                "foreign: transaction \(foreign.number) of \(time(foreign.timestamp)), by "
                    + "\(foreign.program ?? "a program without a name"), none of ours: "
                    + (foreign.entities.isEmpty ? "no objects" : foreign.entities.joined(separator: ", ")))
        }
        if report.foreignCount > report.foreign.count {
            output.line("and \(report.foreignCount - report.foreign.count) more foreign transactions")
        }
        for migration in report.migrations {
            output.line(
                "migration: transaction \(migration.number) of \(time(migration.timestamp)), by "
                    + (migration.program ?? "a program without a name")
                    + (migration.digestBefore.map { ", from the model with digest \($0)" } ?? ""))
        }
        for note in report.notes { output.line("note: \(note)") }
        let compared =
            report.backup.map {
                ", \(CountText.text(report.rows, "row")) and \(CountText.text(report.pairs, "pair")) against \($0)"
            } ?? ""
        output.line(
            "\(CountText.text(report.transactions, "transaction")) with \(CountText.text(report.changes, "change")) after transaction \(report.start)"
                + "\(compared): \(report.violationCount) violation\(report.violationCount == 1 ? "" : "s")")
    }

    /// An entity alone is the daemon's to thaw.
    private static func runThaw(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let path = arguments.operands[0]
        guard arguments.operands.count == 2 || isPath(path) else {
            return try DaemonCommands.thaw(path, output, try DaemonClient(arguments))
        }
        let units = try OfflineThaw.thaw(path, entity: arguments.operands.dropFirst().first)
        if output.isJSON {
            output.json(["thawed": .array(units.map { .string($0) })])
        } else {
            output.line(
                units.isEmpty
                    ? "nothing was frozen"
                    : "thawed, owner and epoch are as before: \(units.joined(separator: ", "))")
        }
        return 0
    }

    /// No entity's name has a slash or a dot.
    private static func isPath(_ text: String) -> Bool { text.contains("/") || text.contains(".") }
}
