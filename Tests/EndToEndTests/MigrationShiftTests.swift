import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing
import Varlink

/// Every real store, migrated to its own model with entities before all others, so that each entity number, and with it
/// the names of columns and join tables, changes: what the store holds must not.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.message)))
struct MigrationShiftTests {
    private static let unreadable: Set = [
        "08_plaso_kik", "10_plaso_NotesV7", "34_MagicalRecord_Recipes", "44_mvt_DataUsage",
    ]

    @Test(arguments: Corpus.names.filter { !unreadable.contains($0) })
    func everyNumberChangesAndNoValueDoes(name: String) throws {
        let folder = try TemporaryFolder()
        let path = try Corpus.copy(name, to: folder)
        let store = try Store.open(path)
        var model = store.model
        model.entities.append(EntityDescription(name: "AAA"))
        for root in store.model.entities where root.superentityName == nil {
            model.entities.append(EntityDescription(name: "AAA\(root.name)", superentityName: root.name))
        }
        let numbers = store.catalogue.numbers
        let before = try content(path)
        let plan = try StoreMigrator(path, to: model).plan()
        // Photos has indexes of its own on a join table, whose name holds a number that changes: they are named.
        guard name != "11_osxphotos_Test-10.15.7" else {
            #expect(Set(plan.refusals.map(\.code)) == [.foreignContent])
            #expect(plan.refusals.allSatisfy { $0.entity.hasPrefix("RADAR_") }, "\(plan.refusals.prefix(3))")
            return
        }
        #expect(plan.refusals == [], "\(plan.refusals.prefix(3))")
        try #require(plan.refusals.isEmpty)
        try StoreMigrator(path, to: model).migrate()
        let after = try content(path)
        #expect(after.dump == before.dump)
        #expect(after.triggers == before.triggers)
        #expect(after.history.dropLast(store.historyForm.isTracked ? 1 : 0) == before.history[...])
        // Rules that a real store breaks it may go on breaking, no more than before.
        for (rule, count) in after.broken { #expect(count <= before.broken[rule] ?? 0, "\(rule)") }
        let now = try Store.open(path).catalogue.numbers
        #expect(now["AAA"] == 1)
        #expect(numbers.allSatisfy { name, number in (now[name] ?? 0) > number })
    }

    private struct Content {
        var dump: String
        var history: [HistoryTransaction]
        var broken: [String: Int]
        /// How many triggers there are, by the attribute or index that they are for.
        var triggers: [String: Int]
    }

    private func content(_ path: String) throws -> Content {
        let store = try Store.open(path)
        let connection = try StoreConnector.offlineReader(path)
        let reader = HistoryReader(connection, store: store)
        let first = try reader.extent().first
        let history = try reader.transactions(after: first.map { $0 - 1 } ?? reader.extent().last)
        let dump = try Programs.ctl("dump", path)
        #expect(dump.exitCode == 0, "\(dump.errors)")
        var broken: [String: Int] = [:]
        if let tools = Corpus.tools, let python = Programs.find("python3") {
            let check = try Programs.run(python, [tools + "/check_store.py", path, "--json"])
            for finding in try JSON(parsing: check.output).arrayValue ?? [] {
                broken[finding["rule"]?.stringValue ?? "", default: 0] += 1
            }
        }
        var triggers: [String: Int] = [:]
        for name in try Programs.sqlite3(path, "SELECT name FROM sqlite_master WHERE type = 'trigger'").lines {
            // Z_DA_<table>_<entity>_<attribute>_<event>, Z_RT_<entity>_<index>_<event>.
            triggers[name.split(separator: "_").prefix(6).dropLast().joined(separator: "_"), default: 0] += 1
        }
        return Content(dump: dump.output, history: history, broken: broken, triggers: triggers)
    }
}
