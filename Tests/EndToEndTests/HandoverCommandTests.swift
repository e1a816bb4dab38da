import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// Handover, comparison and audit as a person and a script meet them.
@Suite struct HandoverCommandTests {
    @Test func aDryRunPrintsChecksAndPlanAndWritesNothing() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Book", "title=Dune").exitCode == 0)
        let owners = try daemon.json("owners")
        let lines = try daemon.json("handover", "Book", "--to", "model", "--dry-run")
        #expect(lines.map { $0["step"] } == ["preflight", "plan"])
        #expect(!lines.contains { $0["ok"] != true })
        #expect(
            lines.first?["checks"]?.arrayValue?.map { $0["check"] } == [
                "schemas", "positions", "history", "rules", "deletes", "rows",
            ])
        #expect(try daemon.json("owners") == owners)
        let text = try daemon.ctl("handover", "Book", "--to", "model", "--dry-run")
        #expect(text.exitCode == 0)
        #expect(text.output.contains("ok   rows: 1 row read equal through both stacks"))
        #expect(text.output.contains("ok   plan: Book would go from the legacy to the model stack"))
    }

    @Test func aRefusedHandoverSaysWhichStepFailed() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("freeze", "Tag").exitCode == 0)
        let result = try daemon.ctl("handover", "Tag", "--to", "model")
        #expect(result.exitCode == 1)
        #expect(result.output.contains("FAIL preflight: Tag is frozen already"))
        #expect(result.errors.contains("coexistctl thaw Tag"))
        #expect(try daemon.ctl("thaw", "Tag").exitCode == 0)
        // One wrong name moves nothing.
        #expect(try daemon.json("handover", "Tag", "Boook", "--to", "model").last?["error"]?["code"] == "UnknownEntity")
        #expect(try daemon.json("handovers") == [[]])
    }

    @Test(arguments: ["owned", "frozen"])
    func whatRefusesOneOfManyRefusesAllBeforeAnyMoves(reason: String) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let first = reason == "owned" ? ["handover", "Tag", "--to", "model"] : ["freeze", "Tag"]
        let environment = ["COEXIST_SOCKET": daemon.socket]
        #expect(try Programs.run(Programs.coexistctl, first, environment: environment).exitCode == 0)
        let owners = try daemon.json("owners")
        let result = try daemon.ctl("handover", "Shelf", "Tag", "--to", "model", "--json")
        #expect(result.exitCode == 1)
        #expect(result.output.contains(#""code":"Refused""#), "\(result.output)")
        #expect(try daemon.json("owners") == owners)
        let back = try daemon.ctl("handover", "Tag", "Shelf", "--back", "--json")
        #expect(back.exitCode == 1)
        #expect(try daemon.json("owners") == owners)
    }

    @Test func theRecordIsShown() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(try daemon.ctl("handover", "Tag", "Book", "--to", "model", "--reason", "new code").exitCode == 0)
        #expect(try daemon.ctl("handover", "Tag", "--back").exitCode == 0)
        let records = try #require(try daemon.json("handovers", "Tag").first?.arrayValue)
        #expect(records.map { $0["from"] } == ["legacy", "model"])
        #expect(records.map { $0["to"] } == ["model", "legacy"])
        #expect(records.map { $0["epoch"] } == [2, 3])
        #expect(records.map { $0["reason"] } == ["new code", .null])
        #expect(records.first?["by"]?.stringValue?.isEmpty == false)
        #expect(records.first?["token"]?.stringValue?.hasSuffix(":1:1") == true)
        #expect(try daemon.json("handovers").first?.arrayValue?.map { $0["entity"] } == ["Tag", "Book", "Tag"])
        #expect(try daemon.ctl("handovers").output.contains("new code"))
    }

    @Test func compareHasTheShapeThatScriptsRelyOn() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for i in 0..<5 { #expect(try daemon.ctl("insert", "Tag", "name=\(i)").exitCode == 0) }
        let result = try #require(try daemon.json("compare", "Tag").first)
        #expect(result["entity"] == "Tag" && result["rows"] == 5 && result["differences"] == [])
        #expect(try daemon.json("compare", "Tag", "--sample", "2").first?["rows"] == 2)
        #expect(try daemon.ctl("compare", "Tag").output == "5 rows, 0 read differently\n")
        #expect(try daemon.ctl("compare", "Tag", "--sample", "0").exitCode == 1)
        #expect(try daemon.ctl("compare", "Nothing").exitCode == 1)
    }

    @Test func anAuditPassesOnARunningStoreAndFindsWhatWasPlanted() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(try daemon.ctl("handover", "Tag", "--to", "model").exitCode == 0)
        #expect(try daemon.ctl("update", "Tag/1", "name=b").exitCode == 0)
        let running = try Programs.ctl("audit", sample.path)
        #expect(running.exitCode == 0, "\(running.output)")
        #expect(running.output.contains("2 transactions with 2 changes after transaction 0"))
        #expect(daemon.stop() == 0)

        let json = try JSON(parsing: Programs.ctl("audit", sample.path, "--json").output)
        #expect(json["violations"] == [] && json["transactions"] == 2 && json["changes"] == 2)
        let planted = try Programs.sqlite3(
            sample.path,
            """
            DROP TRIGGER COEXIST_GUARD_COEXIST_TRANSACTION_UPDATE;
            UPDATE COEXIST_TRANSACTION SET STACK = 'legacy' WHERE NUMBER = 2
            """)
        #expect(planted.exitCode == 0, "\(planted.errors)")
        let found = try Programs.ctl("audit", sample.path, "--json")
        #expect(found.exitCode == 1)
        #expect(
            try JSON(parsing: found.output)["violations"] == [
                [
                    "rule": "writer", "where": "transaction 2",
                    "what": "Tag/1 was updated by the legacy stack, but Tag was owned by the model stack at epoch 2",
                ]
            ])
        #expect(try Programs.ctl("audit", sample.folder.file("none")).exitCode == 4)
    }

    @Test func afterAKillTheFreezeIsThawedWithoutADaemon() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("freeze", "Tag").exitCode == 0)
        #expect(try Programs.ctl("thaw", sample.path).exitCode == 1, "the daemon has the store")
        daemon.kill()
        let thawed = try Programs.ctl("thaw", sample.path, "--json")
        #expect(try JSON(parsing: thawed.output) == ["thawed": ["Tag"]])
        #expect(try Programs.ctl("thaw", sample.path, "Tag").output == "nothing was frozen\n")
        // An entity alone is a running daemon's.
        #expect(try Programs.ctl("thaw", "Tag", socket: sample.folder.file("none")).exitCode == 3)
    }
}
