import Bridge
import StoreFormat
import StoreModel
import Varlink

/// `coexistctl migrate`.
enum MigrateCommand {
    static let command = Command(
        "migrate", "STORE --to MODEL [--dry-run] [--allow-data-loss] [--model MODEL]",
        "Lightweight migration into place, backup first", flags: ["dry-run", "allow-data-loss"],
        options: ["to", "model"], operands: 1...1, run: run)

    private static func run(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        guard let target = arguments.value("to") else {
            throw CommandFailure.usage("a store is migrated to a model", "give --to MODEL")
        }
        let path = arguments.operands[0]
        let migrator: StoreMigrator
        do {
            try StoreProbe.check(path)
            let source = try arguments.value("model").map { try StoreModels.load($0, for: path).model }
            migrator = StoreMigrator(path, from: source, to: try StoreModels.model(target))
        } catch {
            throw CommandFailure(error, opening: true)
        }
        let allowsDataLoss = arguments.has("allow-data-loss")
        let bar = MigrationBar()
        defer { bar.finish() }
        if arguments.has("dry-run") {
            let plan = try migrator.plan(allowsDataLoss: allowsDataLoss) { bar.passed($0) }
            bar.finish()
            show(plan, isDone: false, backup: nil, [], output)
            return plan.refusals.isEmpty ? 0 : 1
        }
        do {
            let report = try StoreMigration.migrate(migrator, path: path, allowsDataLoss: allowsDataLoss) {
                bar.passed($0)
            }
            bar.finish()
            if report.plan.isNeeded { OfflineRecord.note(path, "was migrated to \(target)") }
            output.warn(report.warnings)
            show(report.plan, isDone: report.plan.isNeeded, backup: report.backup, report.warnings, output)
            return 0
        } catch let error as MigrationRefused {
            throw CommandFailure(
                exitCode: 1, code: "MigrationRefused", message: error.message, way: error.way,
                details: ["refusals": refusals(error.plan)])
        }
    }

    private static func show(
        _ plan: MigrationPlan, isDone: Bool, backup: String?, _ warnings: [String], _ output: Output
    ) {
        if output.isJSON {
            output.json([
                "path": .string(plan.store.path), "uuid": .string(plan.store.uuid), "needed": .bool(plan.isNeeded),
                "migrated": .bool(isDone), "backup": backup.map { .string($0) } ?? .null,
                "steps": .array(
                    plan.steps.map { step in
                        [
                            "kind": .string(step.kind.rawValue), "entity": .string(step.entity),
                            "property": text(step.property), "detail": .string(step.detail),
                        ]
                    }),
                "losses": .array(
                    plan.losses.map { loss in
                        [
                            "entity": .string(loss.entity), "property": text(loss.property),
                            "objects": .integer(loss.objects),
                        ]
                    }),
                "refusals": refusals(plan), "warnings": .array(warnings.map { .string($0) }),
            ])
            return
        }
        guard plan.isNeeded else {
            return output.line("\(plan.store.path) has this model already: nothing to do")
        }
        for step in plan.steps { output.line("\(step)") }
        for loss in plan.losses {
            let place = loss.property.map { "\(loss.entity).\($0)" } ?? loss.entity
            output.line("lost: \(place): \(loss.objects) object\(loss.objects == 1 ? "" : "s")")
        }
        for refusal in plan.refusals { output.line("refused: \(refusal)") }
        if let backup {
            output.line("\(plan.store.path) is migrated; as it was before: \(backup)")
        } else {
            output.line("nothing was written")
        }
    }

    private static func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }

    private static func refusals(_ plan: MigrationPlan) -> JSON {
        .array(
            plan.refusals.map { refusal in
                [
                    "code": .string(refusal.code.rawValue), "entity": .string(refusal.entity),
                    "property": text(refusal.property), "reason": .string(refusal.reason), "way": .string(refusal.way),
                ]
            })
    }
}
