import Bridge
import Foundation
import StoreFormat
import StoreModel
import Varlink

/// The commands that need no daemon.
enum StoreCommands {
    static let all: [Command] = [
        Command(
            "inspect", "STORE|MODEL [--model MODEL]",
            "What is in a store or a model: entities with all they say, hashes, history, ownership, warnings",
            options: ["model"],
            operands: 1...1, run: inspect),
        Command(
            "dump", "STORE [--stack legacy|model] [--entity E]… [--model MODEL]", "Every object, a JSON object a line",
            options: ["stack", "model"], repeatable: ["entity"], operands: 1...1, run: dump),
        Command(
            "verify", "STORE [--repair] [--model MODEL]",
            "Checks every rule of the format and of our own tables; mends counters, indexes and leftovers where asked",
            flags: ["repair"], options: ["model"], operands: 1...1, run: verify),
        Command(
            "diff", "A B", "Two models or stores, property by property, and what each difference means",
            operands: 2...2,
            run: diff),
        Command(
            "create", "STORE --model MODEL", "A new, empty store, as the newest of Apple's frameworks would make it",
            options: ["model"], operands: 1...1, run: create),
        Command(
            "hashes", "MODEL|STORE [--model MODEL]",
            "Entity version hashes, checksum and digest; for a store, whether they agree",
            options: ["model"], operands: 1...1, run: hashes),
        Command(
            "release", "STORE [--keep-history]", "Removes our tables and triggers: the file is Apple's again",
            flags: ["keep-history"], operands: 1...1, run: release),
        AdoptCommand.command, MigrateCommand.command,
        Command(
            "doctor", "[STORE] [--pages]",
            "What a support request needs: SQLite, file system, locks and their holders, pages up to 256 MiB or where asked",
            flags: ["pages"], operands: 0...1, run: doctor),
        audit, thaw,
    ]

    /// Opens the store of a command, with the model that it names.
    static func open(_ arguments: Arguments, requiringEqualHashes: Bool = true) throws -> Store {
        let path = arguments.operands[0]
        do {
            guard let given = arguments.value("model") else { return try Store.open(path) }
            try StoreProbe.check(path)
            let loaded = try StoreModels.load(given, for: path)
            return try Store.open(
                path, model: loaded.model, source: loaded.sourceDescription, requiringEqualHashes: requiringEqualHashes)
        } catch {
            throw CommandFailure(error, opening: true)
        }
    }

    private static func inspect(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let path = arguments.operands[0]
        if StoreModels.isModel(path) {
            guard arguments.value("model") == nil else {
                throw CommandFailure.usage("\(path) is a model itself", "give --model for a store only")
            }
            let inspection = try ModelInspection(path)
            if output.isJSON { output.json(inspection.json) } else { inspection.print(output) }
            return 0
        }
        let inspection = try Inspection(try open(arguments, requiringEqualHashes: false))
        if output.isJSON { output.json(inspection.json) } else { inspection.print(output) }
        return 0
    }

    private static func dump(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let stack = try arguments.stack() ?? .legacy
        let store = try open(arguments)
        let wanted = try arguments.values("entity").map { try store.layout.entity($0).name }
        let instance = try StackFactory.reader(stack, store)
        defer { instance.close() }
        let json = ObjectJSON(store: store, style: .dump)
        for entity in store.layout.entities where wanted.isEmpty || wanted.contains(entity.name) {
            try instance.forEachObject(of: entity.name) { DumpLine(json, output).write($0) }
        }
        return 0
    }

    private static func verify(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let store = try openToVerify(arguments, output)
        let repaired = arguments.has("repair") ? try RegisterRepair.repair(store) + StoreRepair.repair(store) : []
        let bar = ProgressBar("verifying")
        defer { bar.finish() }
        let (violations, isAdopted) = try StoreConnector.translating(store.path) {
            let connection = try StoreConnector.offlineReader(store.path)
            let violations = try StoreVerifier.verify(connection, store: store) { bar.update($0, of: $1) }
            return (violations, try CoexistenceTables.missing(connection) != nil)
        }
        bar.finish()
        if !output.isJSON { for sentence in repaired { output.line("repaired: \(sentence)") } }
        report(violations, output, repaired: repaired)
        // What was there before adoption is a fact of the file; a store never adopted has no such record.
        return violations.contains { $0.severity == .error || (!isAdopted && $0.severity == .inherited) } ? 1 : 0
    }

    /// By another model than its own nearly everything in a store is wrong: that is said first, and instead. Where the store
    /// does not tell any more which one is its own, the rules are checked by the given one.
    private static func openToVerify(_ arguments: Arguments, _ output: Output) throws -> Store {
        do {
            return try open(arguments)
        } catch let failure as CommandFailure where failure.code == StoreError.Code.schemaMismatch.rawValue {
            if let own = try? Store.open(arguments.operands[0]),
                (try? SchemaAgreement.compare(own.model, with: own.metadata))?.isEmpty == true
            {
                var failure = failure
                failure.way = "leave --model out, or " + failure.way
                throw failure
            }
            output.warn([failure.message])
            return try open(arguments, requiringEqualHashes: false)
        }
    }

    private static func report(_ found: [Violation], _ output: Output, repaired: [String]) {
        var report = ViolationJSON.report(found)
        guard output.isJSON else { return ViolationText.print(report, output) }
        if !repaired.isEmpty { report["repaired"] = .array(repaired.map { .string($0) }) }
        output.json(.object(ViolationJSON.counted(report)))
    }

    private static func diff(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let a = try StoreModels.model(arguments.operands[0])
        let b = try StoreModels.model(arguments.operands[1])
        let differences = ModelDifference.between(a, b)
        if output.isJSON {
            func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
            let items = differences.map { difference -> JSON in
                [
                    "entity": .string(difference.entity), "property": text(difference.property),
                    "what": .string(difference.what), "a": text(difference.a), "b": text(difference.b),
                    "kind": .string(difference.kind.rawValue),
                ]
            }
            output.json(["differences": .array(items)])
        } else if differences.isEmpty {
            output.line("no differences")
        } else {
            for difference in differences { output.line("\(difference)") }
        }
        return differences.isEmpty ? 0 : 1
    }

    private static func create(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        guard let path = arguments.value("model") else {
            throw CommandFailure.usage("a store is made from a model", "give --model MODEL")
        }
        let model = try StoreModels.model(path)
        let store = try StoreCreator.create(arguments.operands[0], model: model)
        let warnings = model.warnings()
        output.warn(warnings.map { "\($0)" })
        if output.isJSON {
            output.json([
                "path": .string(store.path), "uuid": .string(store.uuid), "entities": JSON(store.layout.entities.count),
                "warnings": .array(warnings.map(DescriptionJSON.warning)),
            ])
        } else {
            let entities = CountText.text(store.layout.entities.count, "entity", plural: "entities")
            output.line("created \(store.path) with \(entities), UUID \(store.uuid)")
        }
        return 0
    }

    private static func hashes(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let report = try HashReport(arguments.operands[0], model: arguments.value("model"))
        if output.isJSON { output.json(report.json) } else { report.print(output) }
        return report.agrees ? 0 : 1
    }

    private static func release(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let path = arguments.operands[0]
        let report = try Release.release(path, keepsHistory: arguments.has("keep-history"))
        if report.wasAdopted { OfflineRecord.note(path, "was released") }
        output.warn(report.logProblem.map { [$0] } ?? [])
        if output.isJSON {
            output.json([
                "adopted": .bool(report.wasAdopted), "removedHistory": .bool(report.removedHistory),
                "journalMode": .string(report.journalMode), "backup": report.backup.map { .string($0) } ?? .null,
                "consumers": .array(report.consumers.map { .string($0) }), "handovers": JSON(report.handovers),
                "warnings": .array(report.logProblem.map { [.string($0)] } ?? []),
            ])
        } else if report.wasAdopted {
            output.line(
                "\(path) is released: our tables and triggers are gone"
                    + (report.removedHistory ? ", and the history that adoption began" : ""))
            output.line(
                "with them went the owners, the record of \(report.handovers) "
                    + "handover\(report.handovers == 1 ? "" : "s") and of who wrote what, and "
                    + (report.consumers.isEmpty
                        ? "no consumer: there was none" : "the consumers \(report.consumers.joined(separator: ", "))")
                    + "; tokens from before expire if the store is adopted again")
            if let backup = report.backup { output.line("the backup from before adoption is still there: \(backup)") }
        } else {
            output.line("\(path) is not adopted: there was nothing to remove")
        }
        return 0
    }

    private static func doctor(_ arguments: Arguments, _ output: Output) throws -> Int32 {
        let doctor = Doctor(arguments.operands.first, looksAtPages: arguments.has("pages"))
        if output.isJSON { output.json(doctor.json) } else { doctor.print(output) }
        return doctor.isWell ? 0 : 1
    }
}
