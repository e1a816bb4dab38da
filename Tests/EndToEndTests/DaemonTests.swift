import Foundation
import TestKit
import Testing
import Varlink

@Suite struct DaemonTests {
    @Test func itTellsTheServiceManagerOfReadyStatusAndStopping() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        daemon.signal(SIGTERM)
        #expect(daemon.notify.wait(for: "STOPPING", "1"))
        #expect(daemon.waitUntilEnd() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsItWithTheLogInTheStore(signal: Int32) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        daemon.signal(signal)
        #expect(daemon.waitUntilEnd() == 0)
        #expect(!FileManager.default.fileExists(atPath: sample.path + "-wal"))
        #expect(!FileManager.default.fileExists(atPath: daemon.socket))
        #expect(try Programs.sqlite3(sample.path, "SELECT ZNAME FROM ZTAG").output == "a\n")
    }

    @Test func aFollowerIsToldWhenTheDaemonStops() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let client = try daemon.client()
        let stream = try client.stream("org.coexistd.Control.History", ["follow": true])
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(try stream.next()?["transaction"]?["changes"]?[0]?["kind"] == "insert")
        daemon.signal(SIGTERM)
        let error = #expect(throws: ClientError.self) { try stream.next() }
        guard case .remote(let name, _)? = error else {
            Issue.record("the stream ended with \(String(describing: error))")
            return
        }
        #expect(name == "org.coexistd.Control.Stopping")
        #expect(daemon.waitUntilEnd() == 0)
    }

    @Test func afterAKillTheNextStartHasEveryAcknowledgedSave() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for i in 0..<20 { #expect(try daemon.ctl("insert", "Tag", "name=tag \(i)").exitCode == 0) }
        daemon.kill()
        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try again.json("fetch", "Tag", "--count").first == 20)
        #expect(try again.json("fetch", "Tag", "--count", "--stack", "model").first == 20)
        #expect(try again.ctl("verify").exitCode == 0)
    }

    @Test func aFreezeWhoseDaemonWasKilledIsUndoneByTheNextStart() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("freeze", "Tag").exitCode == 0)
        let frozen = try daemon.json("insert", "Tag", "name=a")
        #expect(frozen.first?["error"]?["code"] == "Frozen")
        daemon.kill()
        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(again.messages.contains("thawed"))
        #expect(try again.ctl("insert", "Tag", "name=a").exitCode == 0)
    }

    @Test func oneDaemonAStore() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let second = try Programs.run(
            Programs.coexistd, ["--store", sample.path, "--socket", sample.folder.file("other")])
        #expect(second.exitCode == 1 || second.exitCode == 4)
        #expect(second.errors.contains("Busy") && second.errors.contains("\(daemon.processIdentifier)"))
        let release = try Programs.ctl("release", sample.path, "--json")
        #expect(try JSON(parsing: release.output)["error"]?["code"] == "Busy")
        #expect(try daemon.ctl("status").exitCode == 0)
    }

    @Test func withTrackingOffAStoreIsReadOnlyAndSaidSo() throws {
        let sample = try SampleStore()
        let before = try FileImage.of(sample.folder.path)
        let file = sample.folder.file("config.json")
        try Data(#"{"store": "Library.sqlite", "history": {"tracking": "off"}}"#.utf8).write(
            to: URL(fileURLWithPath: file))
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        #expect(try daemon.json("insert", "Tag", "name=a").first?["error"]?["code"] == "ReadOnly")
        #expect(try daemon.json("status").first?["readOnly"]?.stringValue?.contains("history.tracking") == true)
        #expect(try daemon.ctl("fetch", "Tag").exitCode == 0)
        #expect(daemon.stop() == 0)
        #expect(try FileImage.of(sample.folder.path)["Library.sqlite"] == before["Library.sqlite"])
    }

    @Test(arguments: ["nope", "title"])
    func aRelationshipThatIsNoneIsRefusedByAReloadAndAStart(name: String) throws {
        let sample = try SampleStore()
        let file = sample.folder.file("config.json")
        func configure(_ more: String) throws {
            try Data(#"{"store": "Library.sqlite"\#(more)}"#.utf8).write(to: URL(fileURLWithPath: file))
        }
        try configure("")
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        let owners = { (path: String, owner: String) in
            #", "ownership": {"relationships": {"\#(path)": "\#(owner)"}}"#
        }
        try configure(owners("Book.\(name)", "model"))
        #expect(try daemon.json("reload").first?["error"]?["code"] == "BadConfiguration")
        // One that is, and belongs to somebody else.
        try configure(owners("Book.tags", "model"))
        #expect(try daemon.json("reload").first?["error"]?["code"] == "Refused")
        try configure(owners("Book.tags", "legacy"))
        #expect(try daemon.ctl("reload").exitCode == 0)
        #expect(daemon.stop() == 0)
        try configure(owners("Book.\(name)", "model"))
        let start = try Programs.run(
            Programs.coexistd, ["--config", file, "--socket", sample.folder.file("second.sock")])
        #expect(start.exitCode != 0 && start.errors.contains("BadConfiguration"), "\(start.errors)")
    }

    @Test func reloadTakesOverTheGuardAndRefusesAnotherOwner() throws {
        let sample = try SampleStore()
        let file = sample.folder.file("config.json")
        func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
        try write(#"{"store": "Library.sqlite"}"#)
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        #expect(try Programs.sqlite3(sample.path, "INSERT INTO ZTAG (Z_PK) VALUES (99)").exitCode != 0)
        try write(#"{"store": "Library.sqlite", "guard": "off"}"#)
        #expect(try daemon.json("reload").first?["changed"] == ["guard"])
        #expect(try Programs.sqlite3(sample.path, "BEGIN; UPDATE ZTAG SET ZNAME = ''; ROLLBACK").exitCode == 0)
        try write(#"{"store": "Library.sqlite", "guard": "off", "ownership": {"entities": {"Tag": "model"}}}"#)
        let refused = try daemon.json("reload")
        #expect(refused.first?["error"]?["code"] == "Refused")
        try write(#"{"store": "Library.sqlite", "gard": "off"}"#)
        #expect(try daemon.json("reload").first?["error"]?["code"] == "BadConfiguration")
        #expect(try daemon.ctl("status").exitCode == 0)
    }

    @Test func aWrongConfigurationEndsWithTwo() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("config.json")
        try Data(#"{"store": "x", "guard": "never"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let result = try Programs.run(Programs.coexistd, ["--check-config", file])
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("guard") && result.errors.contains("never"))
        #expect(try Programs.ctl("status", socket: folder.file("none")).exitCode == 3)
        #expect(try Programs.ctl("inspct", "x").exitCode == 2)
        #expect(try Programs.ctl("inspct", "x").errors.contains("inspect"))
    }

    @Test(arguments: [
        (#"{"entity": "Book", "sort": [""]}"#, "UnknownKey"), (#"{"entity": "Book", "sort": [":desc"]}"#, "UnknownKey"),
        (#"{"entity": "Book", "sort": ["title:up"]}"#, "UnknownKey"), (#"{"entity": "Book", "limit": -1}"#, "Refused"),
        (#"{"entity": "Book", "where": "title =="}"#, "BadPredicate"),
        (#"{"entity": "", "sort": []}"#, "UnknownEntity"),
        (#"{"entity": "Book", "where": "titel == 'x'"}"#, "UnknownKey"),
    ])
    func aFetchThatMakesNoSenseIsRefusedAndTheDaemonLives(parameters: String, error: String) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let object = try #require(try JSON(parsing: parameters).objectValue)
        for stack in ["legacy", "model"] {
            var object = object
            object["stack"] = .string(stack)
            let client = try daemon.client()
            let thrown = #expect(throws: ClientError.self) { try client.call("org.coexistd.Control.Fetch", object) }
            guard case .remote(let name, _)? = thrown else {
                Issue.record("\(String(describing: thrown))")
                continue
            }
            #expect(name == "org.coexistd.Control.\(error)")
        }
        #expect(daemon.stop() == 0)
    }

    @Test func aPredicateBeyondTheLimitsIsBadAndNoDamage() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let text = Array(repeating: "a=1", count: 25_000).joined(separator: "&&")
        for stack in ["legacy", "model"] {
            #expect(
                try daemon.json("fetch", "Book", "--where", text, "--stack", stack).first?["error"]?["code"]
                    == "BadPredicate")
        }
    }

    @Test func aWaitForWhatNeverWasDoesNotHoldUpTheStop() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.json("replay", "--wait", "999999").first?["error"]?["code"] == "Refused")
        #expect(daemon.stop() == 0)
    }

    @Test func aDaemonThatCannotServeDoesNotAdopt() throws {
        let sample = try SampleStore()
        let before = try FileImage.of(sample.folder.path)
        let result = try Programs.run(
            Programs.coexistd,
            ["--store", sample.path, "--socket", sample.folder.file(String(repeating: "x", count: 150))])
        #expect(result.exitCode == 2, "\(result.errors)")
        #expect(try FileImage.of(sample.folder.path) == before)
    }

    @Test func aNumberThatNoDoubleHoldsIsRefused() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for text in ["rating=1e400", "rating=9007199254740993", "rating:=9007199254740993", "weight=1e39"] {
            #expect(try daemon.json("insert", "Book", text).first?["error"]?["code"] == "TypeMismatch", "\(text)")
        }
        #expect(try daemon.json("insert", "Book", "pages=32768").first?["error"]?["code"] == "TypeMismatch")
    }
}
