import Foundation
import StoreFormat
import Varlink

/// The commands that copy a store, put a copy in its place, and read what is left of a damaged one.
enum RecoveryCommands {
    static let all: [Command] = [
        Command("backup", "STORE FILE", "A consistent copy, with external data", operands: 2...2, run: backup),
        Command(
            "restore", "FILE STORE", "Puts a copy in the store's place; the store that was there is kept beside it",
            operands: 2...2, run: restore),
        Command(
            "salvage", "STORE OUT [--model MODEL]", "A new store of what can still be read of a damaged one",
            options: ["model"], operands: 2...2, run: salvage),
    ]

    private static func backup(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let (path, target) = (arguments.operands[0], arguments.operands[1])
        do {
            // A copy of what is no store, or cannot be opened any more, would be taken for a backup.
            _ = try StoreMetadata.read(path: path)
        } catch {
            throw CommandFailure(error, opening: true)
        }
        let bar = ProgressBar("copying")
        defer { bar.finish() }
        let damage = try StoreBackup.copy(path, to: target) { remaining, total in
            bar.update(total - remaining, of: total)
        }
        bar.finish()
        return show(damage, of: path, target, output)
    }

    /// A copy, and whether what was copied is damaged.
    static func show(_ damage: String?, of store: String, _ target: String, _ output: Output) -> Int32 {
        if let damage {
            output.warn([
                "\(store) is damaged, and so is the copy: \(damage). `coexistctl salvage` makes a new store of what can be read"
            ])
        }
        if output.isJSON {
            output.json(["file": .string(target), "damage": damage.map { .string($0) } ?? .null])
        } else {
            output.line("\(store) is copied to \(target)" + (damage == nil ? "" : ", damage and all"))
        }
        return damage == nil ? 0 : 1
    }

    private static func restore(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let (backup, path) = (arguments.operands[0], arguments.operands[1])
        let bar = ProgressBar("restoring")
        defer { bar.finish() }
        let report = try StoreRestore.restore(backup, to: path) { remaining, total in
            bar.update(total - remaining, of: total)
        }
        bar.finish()
        OfflineRecord.note(path, "was restored from \(backup), as of transaction \(report.last)")
        output.warn(report.warnings)
        if output.isJSON {
            output.json([
                "store": .string(path), "replaced": report.replaced.map { .string($0) } ?? .null,
                "timeline": report.timeline.map { JSON(Int($0)) } ?? .null, "last": JSON(Int(report.last)),
                "warnings": .array(report.warnings.map { .string($0) }),
            ])
            return 0
        }
        output.line("\(path) is restored from \(backup), as of transaction \(report.last)")
        if let timeline = report.timeline {
            output.line("its timeline is \(timeline) now: tokens from before have expired")
        }
        if let replaced = report.replaced { output.line("the store that was there is kept as \(replaced)") }
        return 0
    }

    private static func salvage(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let (path, target) = (arguments.operands[0], arguments.operands[1])
        let bar = ProgressBar("reading")
        defer { bar.finish() }
        let model = try arguments.value("model").map { try StoreModels.load($0, for: path).model }
        let report = try StoreSalvage.salvage(path, to: target, model: model) { table, rows in
            bar.update(Int(rows), of: 0, detail: "rows of \(table)")
        }
        bar.finish()
        if output.isJSON {
            output.json([
                "file": .string(target), "complete": .bool(report.isComplete),
                "entities": .array(report.entities.map { part("entity", $0) }),
                "joins": .array(report.joins.map { part("table", $0) }), "values": JSON(Int(report.values)),
                "links": JSON(Int(report.links)),
                "unsavable": .array(
                    report.unsavable.map { object in
                        [
                            "entity": .string(object.entity), "pk": .integer(object.key),
                            "property": .string(object.property),
                        ]
                    }),
                "unsavableCount": JSON(report.unsavableCount), "notes": .array(report.notes.map { .string($0) }),
                "mended": .array(report.mended.map { .string($0) }),
                "remaining": .object(ViolationJSON.report(report.remaining)),
            ])
        } else {
            print(report, target, output)
        }
        return report.isComplete && report.isSound ? 0 : 1
    }

    private static func part(_ name: String, _ part: StoreSalvage.Part) -> JSON {
        [
            name: .string(part.name), "read": JSON(Int(part.read)),
            "lost": part.lost.map { JSON(Int($0)) } ?? .null,
        ]
    }

    private static func lost(_ count: Int64?) -> String {
        switch count {
        case nil: "some, and nothing tells how many"
        case 0: "none that is known of"
        case let count?: "\(count) at least"
        }
    }

    private static func print(_ report: StoreSalvage.Report, _ target: String, _ output: Output) {
        output.table(
            [["what", "read", "lost"]]
                + report.entities.map { ["entity \($0.name)", CountText.text($0.read, "object"), lost($0.lost)] }
                + report.joins.map { ["join table \($0.name)", CountText.text($0.read, "pair"), lost($0.lost)] })
        if report.values > 0 {
            output.line(
                "\(CountText.text(report.values, "value")) could not be read, and \(report.values == 1 ? "is" : "are") empty"
            )
        }
        if report.links > 0 {
            output.line(
                "\(CountText.text(report.links, "link")) led to lost objects, and \(report.links == 1 ? "was" : "were") cleared"
            )
        }
        for object in report.unsavable {
            output.line(
                "\(object.entity)/\(object.key) has no \(object.property), which is mandatory: it can be read, and not be "
                    + "saved before it has one")
        }
        if report.unsavableCount > report.unsavable.count {
            output.line("and \(report.unsavableCount - report.unsavable.count) more objects like that")
        }
        for note in report.notes { output.line("note: \(note)") }
        for sentence in report.mended { output.line("repaired: \(sentence)") }
        if !report.remaining.isEmpty {
            output.line("`coexistctl verify \(target)` finds, and it takes somebody's choice to mend:")
            ViolationText.print(ViolationJSON.report(report.remaining), output)
        }
        output.line("\(target) holds what could be read" + (report.isComplete ? ": all of it" : ""))
    }
}
