import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// A store that may not be changed, looked at through a daemon.
@Suite struct LookingTests {
    /// `wasKilled`: then a log lies beside the store, which nobody may move.
    @Test(.enabled(if: SmallDisk.isPossible), arguments: [false, true])
    func aDaemonServesFromAFolderThatMayNotBeWritten(wasKilled: Bool) throws {
        let folder = try TemporaryFolder()
        let disk = try SmallDisk(bytes: 8 << 20)
        let store = disk.file("Library.sqlite")
        try StoreCreator.create(store, model: SampleModels.library)
        let writer = try RunningDaemon(store: store, folder: folder)
        #expect(try writer.ctl("insert", "Tag", "name=a", "--author", "Ann").exitCode == 0)
        if wasKilled { writer.kill() } else { #expect(writer.stop() == 0) }
        try disk.makeReadOnly()
        let before = try FileImage.of(disk.path)

        let file = folder.file("config.json")
        func write(_ tracking: String) throws {
            try Data(#"{"store": "\#(store)", "history": {"tracking": "\#(tracking)"}}"#.utf8)
                .write(to: URL(fileURLWithPath: file))
        }
        try write("on")
        let refused = try Programs.run(Programs.coexistd, ["--config", file, "--socket", folder.file("s")])
        #expect(refused.exitCode != 0 && refused.errors.contains(#"history.tracking to "off""#), "\(refused.errors)")

        try write("off")
        let daemon = try RunningDaemon(["--config", file], folder: folder)
        for stack in ["legacy", "model"] {
            #expect(try daemon.json("get", "Tag/1", "--stack", stack).first?[0]?["values"]?["name"] == "a", "\(stack)")
        }
        #expect(try daemon.json("history").map { $0["author"]?.stringValue } == ["Ann"])
        #expect(try daemon.json("owners").first?.arrayValue?.first?["owner"] == "legacy")
        #expect(try daemon.ctl("verify").output.contains("0 violations"))
        #expect(try daemon.ctl("compare", "Tag").exitCode == 0)
        #expect(try daemon.json("insert", "Tag", "name=b").first?["error"]?["code"] == "ReadOnly")
        #expect(daemon.stop() == 0)
        #expect(try FileImage.of(disk.path) == before)
    }

    @Test func nobodyOwnsAStoreThatWasNeverAdopted() throws {
        let sample = try SampleStore()
        let file = sample.folder.file("config.json")
        try Data(#"{"store": "Library.sqlite", "history": {"tracking": "off"}}"#.utf8)
            .write(to: URL(fileURLWithPath: file))
        let looking = try RunningDaemon(["--config", file], folder: sample.folder)
        #expect(try looking.ctl("owners").output.contains("none (not adopted)"))
        #expect(try looking.json("owners").first?[0]?["owner"] == "none")
        #expect(try looking.json("owners").first?[0]?["since"] == .null)
        #expect(try looking.json("status").first?["readOnly"] == "history.tracking is off in the configuration")
        looking.stop()
        let writing = try RunningDaemon(store: sample.path, folder: sample.folder)
        let frozen = try writing.ctl("freeze", "Tag")
        #expect(frozen.output.contains("legacy (frozen by hand") && !frozen.output.contains("adopted"))
    }

    @Test(arguments: ["history", "fetch", "get", "owners", "count", "compare", "status"])
    func aStoreInTheCommandsPlaceIsRefusedWithTheWay(command: String) throws {
        let sample = try SampleStore()
        let result = try Programs.ctl(command, sample.path, socket: sample.folder.file("none"))
        #expect(result.exitCode == 2)
        guard command != "count" else { return }
        #expect(result.errors.contains("takes no store") && result.errors.contains(sample.path), "\(result.errors)")
        #expect(result.errors.contains("dump") && result.errors.contains("tracking"))
    }
}
