import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing
import Varlink

/// A store that is taken away from a running daemon, or is damaged.
@Suite struct TroubleTests {
    private func waitForTrouble(_ daemon: RunningDaemon, _ location: SourceLocation = #_sourceLocation) throws
        -> String?
    {
        var status: JSON?
        let isDegraded = eventually {
            status = (try? daemon.json("status"))?.first
            return status?["state"] == "degraded"
        }
        #expect(isDegraded, sourceLocation: location)
        return status?["problem"]?["code"]?.stringValue
    }

    private func isRefused(_ daemon: RunningDaemon, _ code: String, _ location: SourceLocation = #_sourceLocation)
        throws
    {
        for command in [["insert", "Tag", "name=b"], ["delete", "Tag/1"], ["freeze", "Tag"], ["checkpoint"]] {
            let result = try Programs.run(
                Programs.coexistctl, command + ["--json"], environment: ["COEXIST_SOCKET": daemon.socket])
            #expect(result.exitCode != 0, "\(command)", sourceLocation: location)
            #expect(
                result.output.contains("\"code\":\"\(code)\""), "\(command): \(result.output)", sourceLocation: location
            )
        }
    }

    /// What is gone cannot be counted, and the status says why.
    @Test func aDroppedTableEndsWriting() throws {
        let sample = try SampleStore()
        let configuration = sample.folder.file("c.json")
        try Data(#"{"store": "\#(sample.path)", "guard": "off"}"#.utf8).write(to: URL(fileURLWithPath: configuration))
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(try Programs.sqlite3(sample.path, "DROP TABLE ZCARD").exitCode == 0)
        // At once, whoever notices it.
        let status = try daemon.json("status").first
        #expect(status?["state"] == "degraded")
        #expect(status?["problem"]?["message"]?.stringValue?.contains("the table ZCARD is gone") == true)
        try isRefused(daemon, "Damaged")
        #expect(try daemon.ctl("get", "Tag/1").exitCode == 0)
    }

    @Test func aReplacedStoreIsNotWritten() throws {
        let sample = try SampleStore()
        let other = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        let before = try #require(FileManager.default.contents(atPath: sample.path))
        try FileManager.default.moveItem(atPath: sample.path, toPath: sample.path + ".old")
        try FileManager.default.copyItem(atPath: other.path, toPath: sample.path)
        let bytes = FileManager.default.contents(atPath: sample.path)
        #expect(try waitForTrouble(daemon) == "StoreReplaced")
        try isRefused(daemon, "StoreReplaced")
        // Nor is anything said of the new one as if it were the old.
        for command in [
            ["verify"], ["history"], ["owners"], ["consumers"], ["replay"], ["compare", "Tag"],
            ["backup", sample.folder.file("copy.sqlite")],
        ] {
            let result = try Programs.run(
                Programs.coexistctl, command + ["--json"], environment: ["COEXIST_SOCKET": daemon.socket])
            #expect(result.exitCode != 0, "\(command)")
            #expect(result.output.contains("\"code\":\"StoreReplaced\""), "\(command): \(result.output)")
        }
        // What was cached is of the old file: an object of it is not shown as if it were of the new one.
        let get = try daemon.ctl("get", "Tag/1", "--json")
        #expect(get.exitCode != 0)
        #expect(get.output.contains("StoreReplaced"))
        #expect(daemon.messages.contains("StoreReplaced"))
        daemon.stop()
        #expect(FileManager.default.contents(atPath: sample.path) == bytes)
        #expect(FileManager.default.contents(atPath: sample.path + ".old") == before)
    }

    @Test(arguments: [true, false])
    func verifyOfAStoreThatWasRenamedSaysThatItIsGone(wasVerified: Bool) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        if wasVerified { #expect(try daemon.ctl("verify").exitCode == 0) }
        try FileManager.default.moveItem(atPath: sample.path, toPath: sample.path + ".old")
        // At once, and when the daemon knows it.
        for isKnown in [false, true] {
            if isKnown { #expect(try waitForTrouble(daemon) == "StoreReplaced") }
            let result = try daemon.ctl("verify", "--json")
            #expect(result.exitCode == 1)
            #expect(try JSON(parsing: result.output)["error"]?["code"] == "StoreReplaced", "\(result.output)")
        }
        try FileManager.default.moveItem(atPath: sample.path + ".old", toPath: sample.path)
        daemon.stop()
        let hasLog = FileManager.default.fileExists(atPath: sample.path + "-wal")
        #expect(daemon.messages.contains("has to stay beside it") == hasLog, "\(daemon.messages)")
        #expect(try Programs.sqlite3(sample.path, "SELECT ZNAME FROM ZTAG").output == "a\n")
    }

    @Test func afterItWasPutBackARestartGoesOn() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        try FileManager.default.moveItem(atPath: sample.path, toPath: sample.path + ".old")
        #expect(try waitForTrouble(daemon) == "StoreReplaced")
        try FileManager.default.moveItem(atPath: sample.path + ".old", toPath: sample.path)
        daemon.kill()
        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try again.json("status").first?["state"] == "running")
        #expect(try again.ctl("insert", "Tag", "name=b").exitCode == 0)
        #expect(try again.json("fetch", "Tag", "--count").first == 2)
        #expect(try again.ctl("verify").exitCode == 0)
    }

    @Test func commitsInALogThatWasRemovedAreNotLost() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for name in ["a", "b"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        try FileManager.default.removeItem(atPath: sample.path + "-wal")
        #expect(try waitForTrouble(daemon) == "StoreReplaced")
        daemon.kill()
        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try again.json("fetch", "Tag", "--count").first == 2)
        #expect(try again.ctl("verify").exitCode == 0)
    }

    @Test func withoutItsIndexNothingIsWritten() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        try FileManager.default.removeItem(atPath: sample.path + "-shm")
        #expect(try waitForTrouble(daemon) == "StoreReplaced")
        try isRefused(daemon, "StoreReplaced")
        daemon.kill()
        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try again.json("fetch", "Tag", "--count").first == 1)
    }

    /// The daemon's log records of an error.
    private func errors(_ daemon: RunningDaemon) -> [Substring] {
        daemon.messages.split(separator: "\n").filter { $0.hasPrefix("error: ") }
    }

    @Test func aStoreThatIsRemovedUnderTheWatchdogIsTroubleAndNoReasonToBeRestarted() throws {
        let sample = try SampleStore()
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)"}"#.write(toFile: configuration, atomically: true, encoding: .utf8)
        let daemon = try RunningDaemon(
            ["--config", configuration], folder: sample.folder, environment: ["WATCHDOG_USEC": "400000"])
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: sample.path + suffix) }
        #expect(try waitForTrouble(daemon) == "StoreReplaced")
        var status: String?
        while status?.hasPrefix("degraded") != true, let fields = daemon.notify.receive(within: 60) {
            status = fields["STATUS"] ?? status
        }
        #expect(status?.contains(sample.path) == true)
        for _ in 1...3 { #expect(daemon.notify.wait(for: "WATCHDOG", "1")) }

        // A reload does not open the store anew, and does not say that it did something.
        let reload = try daemon.ctl("reload")
        #expect(reload.exitCode == 1)
        #expect(reload.errors.contains("StoreReplaced") && reload.errors.contains("restart the daemon"))
        let lines = try daemon.ctl("metrics").lines
        #expect(lines.contains("coexist_read_only 1"))
        #expect(lines.contains("coexist_degraded 1"))
        #expect(lines.last == "# EOF")
        try isRefused(daemon, "StoreReplaced")
        #expect(errors(daemon).count == 1, "\(daemon.messages)")
        #expect(try daemon.json("status").first?["alarms"] == [])

        daemon.signal(SIGHUP)
        var isReady = false
        while !isReady, let fields = daemon.notify.receive(within: 60) {
            guard fields["READY"] == "1" else { continue }
            isReady = true
            #expect(fields["STATUS"]?.hasPrefix("degraded") == true)
        }
        #expect(isReady)
    }

    // MARK: Damage

    /// Overwrites a table's first page.
    private func damage(_ path: String, table: String) throws {
        let page = try #require(
            try Connection(path: path, mode: .readOnly)
                .scalar("SELECT rootpage FROM sqlite_master WHERE name = '\(table)'")?.integerValue)
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xAA, count: 4096))
        try file.close()
    }

    @Test(arguments: [false, true])
    func aDamagedStoreIsServedReadOnly(isAdopted: Bool) throws {
        let sample = try SampleStore()
        if isAdopted {
            let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
            #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
            daemon.stop()
        }
        try damage(sample.path, table: "ZCARD")
        let bytes = FileManager.default.contents(atPath: sample.path)
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let status = try daemon.json("status").first
        #expect(status?["state"] == "degraded")
        #expect(status?["problem"]?["code"] == "Damaged")
        #expect(status?["warnings"]?.description.contains("is open read-only") == true)
        #expect(daemon.messages.contains("is damaged"))
        #expect(try daemon.ctl("metrics").lines.contains("coexist_read_only 1"))
        try isRefused(daemon, "Damaged")
        // The rest can be read, through both stacks.
        for stack in ["legacy", "model"] {
            #expect(try daemon.json("fetch", "Tag", "--count", "--stack", stack).first == (isAdopted ? 1 : 0))
        }
        let card = try daemon.ctl("fetch", "Card", "--json")
        #expect(card.output.contains("\"code\":\"Damaged\""), "\(card.output)")
        daemon.stop()
        // Said once, however often it is met.
        let said = daemon.messages.split(separator: "\n").filter { $0.contains("is open read-only") }
        #expect(said.count == 1, "\(said)")
        #expect(FileManager.default.contents(atPath: sample.path) == bytes)
    }

    @Test func damageThatIsMetWhileItRunsEndsTheWriting() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(try daemon.ctl("checkpoint").exitCode == 0)
        // In place, past the daemon's own pages: what it has not read yet.
        try damage(sample.path, table: "ZSHELF")
        #expect(try daemon.ctl("fetch", "Shelf").exitCode != 0)
        #expect(try daemon.json("status").first?["problem"]?["code"] == "Damaged")
        #expect(daemon.notify.wait(for: "STATUS", "degraded: \(try problem(daemon))"))
        #expect(try daemon.ctl("metrics").lines.contains("coexist_degraded 1"))
        #expect(try daemon.ctl("reload").exitCode != 0)
        #expect(errors(daemon).count == 1, "\(daemon.messages)")
        let insert = try daemon.ctl("insert", "Tag", "name=b", "--json")
        #expect(insert.output.contains("\"code\":\"Damaged\""))
        #expect(try daemon.json("fetch", "Tag", "--count").first == 1)
    }

    private func problem(_ daemon: RunningDaemon) throws -> String {
        try daemon.json("status").first?["problem"]?["message"]?.stringValue ?? "none"
    }

    // MARK: History switched off

    @Test(arguments: [true, false])
    func withoutTrackingItIsReadOnlyAndSaysSo(wasTracked: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library, isTracked: wasTracked)
        let bytes = FileManager.default.contents(atPath: path)
        let configuration = folder.file("config.json")
        try Data("{\"store\": \"Library.sqlite\", \"history\": {\"tracking\": \"off\"}}".utf8)
            .write(to: URL(fileURLWithPath: configuration))
        let daemon = try RunningDaemon(["--config", configuration], folder: folder)
        let status = try daemon.json("status").first
        #expect(status?["readOnly"]?.stringValue?.contains("history.tracking is off") == true)
        #expect(daemon.messages.contains("is open read-only"))
        try isRefused(daemon, "ReadOnly")
        #expect(try daemon.json("fetch", "Tag", "--count").first == 0)
        daemon.stop()
        #expect(FileManager.default.contents(atPath: path) == bytes)
        #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
    }
}
