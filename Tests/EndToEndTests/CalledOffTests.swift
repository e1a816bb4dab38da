import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// A handover whose client goes, or whose daemon is stopped, before its switch. Another program has the store's lock, so
/// that it waits before its freeze for as long as the test wants.
@Suite struct CalledOffTests {
    private let sample: SampleStore
    private let daemon: RunningDaemon
    private let output: String

    init() throws {
        sample = try SampleStore()
        daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        output = sample.folder.file("handover.txt")
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
    }

    /// Starts `coexistctl handover`, and returns when it waits for the lock.
    private func start() throws -> Process {
        let client = Process()
        client.executableURL = URL(fileURLWithPath: Programs.coexistctl)
        client.arguments = ["handover", "Tag", "--to", "model", "--json", "--socket", daemon.socket]
        try Data().write(to: URL(fileURLWithPath: output))
        client.standardOutput = FileHandle(forWritingAtPath: output)
        client.standardError = FileHandle.nullDevice
        try client.run()
        #expect(
            eventually {
                (try? daemon.json("status").first?["handovers"]?[0]?["step"]) == "preflight"
            })
        return client
    }

    private func tag() throws -> String {
        try Programs.sqlite3(sample.path, "SELECT OWNER, EPOCH, FROZEN FROM COEXIST_UNIT WHERE NAME = 'Tag'").output
    }

    @Test func aClientThatGoesTakesItsHandoverAlong() throws {
        let lock = try HoldingShell(sample.path)
        let client = try start()
        let text = try daemon.ctl("status").output
        #expect(text.contains("handover Tag to model, begun by "), "\(text)")
        // Others are blocked in what a test starts.
        kill(client.processIdentifier, SIGKILL)
        client.waitUntilExit()
        // The one that asks.
        #expect(eventually { (try? daemon.json("status").first?["clients"]) == 1 })
        lock.end()
        #expect(eventually { daemon.messages.contains("was called off") })
        #expect(daemon.messages.contains("since its client has gone"), "\(daemon.messages)")
        #expect(eventually { (try? tag()) == "legacy|1|0\n" })
        #expect(try daemon.json("handovers") == [[]])
        #expect(try daemon.ctl("handover", "Tag", "--to", "model").exitCode == 0)
    }

    @Test func aStopCallsItOffAndTellsItsClient() throws {
        let lock = try HoldingShell(sample.path)
        let client = try start()
        #expect(try daemon.ctl("stop").exitCode == 0)
        // The listener goes first.
        #expect(eventually { !FileManager.default.fileExists(atPath: daemon.socket) })
        lock.end()
        client.waitUntilExit()
        #expect(daemon.waitUntilEnd() == 0)
        #expect(client.terminationStatus == 1)
        let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
        let error = try JSON(parsing: lines.last ?? "")["error"]
        #expect(error?["code"] == "Cancelled", "\(lines)")
        #expect(
            error?["message"]?.stringValue
                == "the handover of Tag to the model stack was called off, since the daemon stops: nothing has been changed"
        )
        #expect(try tag() == "legacy|1|0\n")
        #expect(try Programs.sqlite3(sample.path, "SELECT count(*) FROM COEXIST_HANDOVER").output == "0\n")
    }

    @Test func aStopThatWaitsReturnsWhenTheStoreIsFree() throws {
        let stopped = try daemon.ctl("stop", "--wait")
        #expect(stopped.exitCode == 0 && stopped.output == "stopped: the store's lock is given back\n")
        #expect(!StoreLock.isHeld(storePath: sample.path))
        let released = try Programs.ctl("release", sample.path)
        #expect(released.exitCode == 0, "\(released.errors)")
        #expect(daemon.waitUntilEnd() == 0)
    }
}
