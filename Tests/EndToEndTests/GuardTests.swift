import Foundation
import TestKit
import Testing
import Varlink

/// Strangers at an adopted store: the `sqlite3` shell stands for them.
@Suite struct GuardTests {
    @Test(arguments: [
        "UPDATE ZBOOK SET ZTITLE = 'x'", "DELETE FROM ZBOOK", "INSERT INTO ZBOOK (Z_ENT, Z_OPT) VALUES (2, 1)",
        "DELETE FROM ATRANSACTION", "UPDATE Z_PRIMARYKEY SET Z_MAX = 0", "UPDATE COEXIST_UNIT SET OWNER = 'model'",
    ])
    func aForeignWriteIsRefusedWithTheWayOut(sql: String) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Book", "title=Dune").exitCode == 0)
        let result = try Programs.sqlite3(sample.path, sql)
        #expect(result.exitCode != 0)
        #expect(result.errors.contains("guarded by Coexist") && result.errors.contains("coexistctl release"))
        #expect(try daemon.json("get", "Book/1").first?[0]?["values"]?["title"] == "Dune")
        #expect(daemon.stop() == 0)
        // Without the daemon too.
        #expect(try Programs.sqlite3(sample.path, sql).exitCode != 0)
        #expect(try Programs.ctl("release", sample.path).exitCode == 0)
        #expect(try Programs.sqlite3(sample.path, "UPDATE ZBOOK SET ZTITLE = 'x'").exitCode == 0)
    }

    @Test(arguments: ["ZBOOK", "ATRANSACTION", "Z_PRIMARYKEY", "COEXIST_UNIT"])
    func aGuardThatSomebodyTookAwayIsFound(table: String) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(daemon.stop() == 0)
        #expect(try Programs.ctl("verify", sample.path).exitCode == 0)
        let trigger = "COEXIST_GUARD_\(table)_DELETE"
        #expect(try Programs.sqlite3(sample.path, "DROP TRIGGER \(trigger)").exitCode == 0)
        let found = try Programs.ctl("verify", sample.path)
        #expect(found.exitCode == 1)
        #expect(found.output.contains("guard: \(trigger): missing"))
    }

    @Test func anUntrackedForeignWriteDropsTheCachesAndRaisesAnAlarm() throws {
        let sample = try SampleStore()
        let file = sample.folder.file("config.json")
        try Data(#"{"store": "Library.sqlite", "guard": "off"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        for stack in ["legacy", "model"] { #expect(try daemon.ctl("get", "Tag/1", "--stack", stack).exitCode == 0) }
        #expect(try Programs.sqlite3(sample.path, "UPDATE ZTAG SET ZNAME = 'b'").exitCode == 0)
        // The watcher looks at once and again: ask until it has seen it, which it must.
        while try daemon.json("status").first?["alarms"]?.arrayValue?.isEmpty != false {}
        for stack in ["legacy", "model"] {
            #expect(try daemon.json("get", "Tag/1", "--stack", stack).first?[0]?["values"]?["name"] == "b", "\(stack)")
        }
    }

    /// What the guard does is what it was told last, in all that it does.
    @Test(arguments: ["always", "off", "while-running"])
    func aReloadToRecordDropsOnlyWhatWasTouched(first: String) throws {
        let sample = try SampleStore()
        let file = sample.folder.file("config.json")
        func write(_ mode: String) throws {
            try Data(#"{"store": "Library.sqlite", "guard": "\#(mode)"}"#.utf8).write(to: URL(fileURLWithPath: file))
        }
        try write(first)
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        try write("record")
        #expect(try daemon.json("reload").first?["changed"] == ["guard"])
        #expect(try Programs.sqlite3(sample.path, "UPDATE ZTAG SET ZNAME = 'b'").exitCode == 0)
        var alarms: [String] = []
        #expect(
            eventually {
                alarms = ((try? daemon.json("status"))?.first?["alarms"]?.arrayValue ?? []).compactMap(\.stringValue)
                return !alarms.isEmpty
            })
        #expect(alarms.contains { $0.contains("what was cached of Tag was dropped") }, "\(alarms)")
        // And back: a stop then leaves no trigger that refuses, as the mode says.
        try write("while-running")
        #expect(try daemon.json("reload").first?["changed"] == ["guard"])
        #expect(try Programs.sqlite3(sample.path, "UPDATE ZTAG SET ZNAME = 'c'").exitCode != 0)
        #expect(daemon.stop() == 0)
        #expect(try Programs.sqlite3(sample.path, "UPDATE ZTAG SET ZNAME = 'c'").exitCode == 0)
    }

    @Test func recordRefusesNothingAndDropsWhatWasTouched() throws {
        let sample = try SampleStore()
        let file = sample.folder.file("config.json")
        try Data(#"{"store": "Library.sqlite", "guard": "record"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        for stack in ["legacy", "model"] { #expect(try daemon.ctl("get", "Tag/1", "--stack", stack).exitCode == 0) }
        #expect(try Programs.sqlite3(sample.path, "UPDATE ZTAG SET ZNAME = 'b'").exitCode == 0)
        while try daemon.json("status").first?["alarms"]?.arrayValue?.isEmpty != false {}
        let alarm = try daemon.json("status").first?["alarms"]?[0]?.stringValue
        #expect(alarm?.contains("what was cached of Tag was dropped") == true, "\(alarm ?? "")")
        for stack in ["legacy", "model"] {
            #expect(try daemon.json("get", "Tag/1", "--stack", stack).first?[0]?["values"]?["name"] == "b", "\(stack)")
        }
        #expect(try daemon.json("status").first?["alarms"]?.arrayValue?.count == 1)
    }

    @Test func aReleasedStoreIsAsItWas() throws {
        let sample = try SampleStore()
        let schema = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2"
        let before = try Programs.sqlite3(sample.path, schema).output
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Book", "title=Dune").exitCode == 0)
        #expect(daemon.stop() == 0)
        #expect(try Programs.sqlite3(sample.path, schema).output != before)
        #expect(try Programs.ctl("release", sample.path).exitCode == 0)
        #expect(try Programs.sqlite3(sample.path, schema).output == before)
        #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n")
        if let check = try independentCheck(sample.path) { #expect(check == "0 violations\n") }
        #expect(try Programs.ctl("release", sample.path).exitCode == 0)
    }
}
