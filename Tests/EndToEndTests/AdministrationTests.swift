import Foundation
import TestKit
import Testing
import Varlink

/// What an administrator does, and how the daemon tells of it: in its log, its answers and to those who meet it.
@Suite struct AdministrationTests {
    private let sample: SampleStore
    private let configuration: String
    private let user = ProcessInfo.processInfo.userName

    init() throws {
        sample = try SampleStore()
        configuration = sample.folder.file("config.json")
        try configure(#""guard": "always""#)
    }

    private func configure(_ more: String) throws {
        try #"{"store": "\#(sample.path)", \#(more)}"#.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    private func start() throws -> RunningDaemon {
        try RunningDaemon(["--config", configuration], folder: sample.folder)
    }

    @Test func everyActIsLoggedWithWhoAskedForIt() throws {
        let daemon = try start()
        for name in ["a", "b"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        let token = try #require(try daemon.json("history").first?["token"]?.stringValue)
        for arguments in [
            ["freeze", "Tag", "--reason", "moving house"], ["thaw", "Tag"],
            ["handover", "Tag", "--to", "model", "--reason", "new code"], ["handover", "Tag", "--back", "--dry-run"],
            ["consumers", "add", "watch", "--from", token], ["history", "prune"], ["consumers", "remove", "watch"],
            ["invalidate", "Tag"], ["backup", sample.folder.file("copy.sqlite")],
        ] {
            let result = try Programs.run(
                Programs.coexistctl, arguments, environment: ["COEXIST_SOCKET": daemon.socket])
            #expect(result.exitCode == 0 && !result.output.isEmpty, "\(arguments): \(result.errors)")
        }
        #expect(try daemon.ctl("insert", "Tag", "name=c").exitCode == 0)
        try configure(#""guard": "off""#)
        #expect(try daemon.ctl("reload").exitCode == 0)
        try configure(#""guard": "record""#)
        daemon.signal(SIGHUP)
        #expect(eventually { daemon.messages.contains("reloaded, by SIGHUP: guard") })
        let lines = daemon.messages.split(separator: "\n").filter { $0.hasPrefix("notice: ") }.map {
            String($0.dropFirst("notice: ".count))
        }
        let expected = [
            "Tag was frozen, by \(user) (moving house)", "Tag was thawed, by \(user)",
            "handover of Tag to the model stack begins, by \(user) (new code)",
            "handover of Tag to the model stack is done: epoch 2, after \(token.dropLast())2, by \(user)",
            "consumer watch was added at transaction 1, by \(user)",
            "history was purged: 1 transaction, up to number 1, by \(user)",
            "consumer watch was removed, by \(user)", "cached rows were dropped, by \(user)",
            "the store was copied to \(sample.folder.file("copy.sqlite")), by \(user)",
            "the guard's mode was changed from always to off, by \(user)", "reloaded, by \(user): guard",
            "the guard's mode was changed from off to record, by SIGHUP", "reloaded, by SIGHUP: guard",
        ]
        #expect(lines.first?.hasPrefix("the store was adopted") == true)
        #expect(Array(lines.dropFirst()) == expected)
        #expect(daemon.stop() == 0)

        // What the configuration changes at a start.
        try configure(#""guard": "always", "history": {"maximumTransactions": 1}"#)
        let again = try start()
        #expect(again.messages.contains("the guard's mode was changed from record to always, by the configuration"))
        let purged = "history was purged: 1 transaction, up to number 2, by the configuration's history limits"
        #expect(eventually { again.messages.contains(purged) })
        #expect(try again.ctl("stop", "--wait").exitCode == 0)
        #expect(again.messages.contains("a stop was asked for, by \(user)"))
    }

    @Test func aFreezeSaysByWhomSinceWhenAndWhy() throws {
        let daemon = try start()
        #expect(try daemon.ctl("freeze", "Tag", "--reason", "moving house").exitCode == 0)
        let owners = try #require(try daemon.json("owners").first?.arrayValue)
        let tag = try #require(owners.first { $0["entity"] == "Tag" })
        #expect(tag["owner"] == "legacy" && tag["frozen"] == true)
        #expect(tag["freeze"]?["kind"] == "hand" && tag["freeze"]?["reason"] == "moving house")
        #expect(tag["freeze"]?["by"]?.stringValue == user)
        let since = try #require(tag["freeze"]?["since"]?.stringValue)
        #expect(owners.first { $0["entity"] == "Book" }?["frozen"] == false)
        let text = try daemon.ctl("owners").output
        #expect(text.contains("legacy (frozen by hand)"), "\(text)")
        #expect(text.hasSuffix("\nTag was frozen by \(user) at \(since): moving house\n"), "\(text)")
        let refused = try daemon.ctl("insert", "Tag", "name=a")
        #expect(refused.errors.contains("Frozen") && refused.errors.contains("frozen by hand"), "\(refused.errors)")
        #expect(
            refused.errors.contains("Tag was frozen by \(user) at \(since): moving house"), "\(refused.errors)")
        let metrics = try daemon.ctl("metrics").lines
        #expect(metrics.contains("coexist_unit_frozen{unit=\"Tag\"} 1"))
        #expect(metrics.contains("coexist_unit_epoch{unit=\"Tag\",owner=\"legacy\"} 1"))
        #expect(try JSON(parsing: Programs.ctl("inspect", sample.path, "--json").output)["ownership"] != nil)
        #expect(daemon.stop() == 0)
    }

    @Test func statusTellsOfTheDaemonItsGuardAndItsConsumers() throws {
        let daemon = try start()
        #expect(try daemon.ctl("consumers", "add", "watch").exitCode == 0)
        let status = try #require(try daemon.json("status").first)
        #expect(status["guard"] == "always" && status["handovers"] == [])
        #expect(status["pid"]?.intValue == Int(daemon.processIdentifier))
        #expect(status["version"]?.stringValue?.isEmpty == false && status["started"]?.stringValue?.isEmpty == false)
        #expect(status["consumers"]?[0]?["name"] == "watch")
        let text = try daemon.ctl("status").output
        #expect(text.contains("process \(daemon.processIdentifier), since "))
        #expect(text.contains("guard    always") && text.contains("watch  active"), "\(text)")
    }

    @Test func aDryRunTakesNoMoreThanToLook() throws {
        try configure(#""access": {"observe": ["65534"]}"#)
        let daemon = try start()
        guard Programs.canBeNobody else { return }
        chmod(sample.folder.path, 0o755)
        chmod(daemon.socket, 0o666)
        func nobody(_ arguments: String...) throws -> Programs.Result {
            try Programs.runAsNobody(Programs.coexistctl, arguments + ["--socket", daemon.socket])
        }
        #expect(try nobody("handover", "Tag", "--to", "model", "--dry-run").exitCode == 0)
        #expect(try nobody("history", "prune", "--before", "1", "--dry-run").exitCode == 0)
        #expect(try nobody("handover", "Tag", "--to", "model").exitCode == 5)
        #expect(try nobody("history", "prune", "--before", "1").exitCode == 5)
    }

    @Test func whoHoldsHistoryBackIsNamedWithoutABoundToo() throws {
        let daemon = try start()
        for name in ["a", "b", "c"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        for (name, token) in [("slow", "1"), ("fast", "3")] {
            #expect(try daemon.ctl("consumers", "add", name, "--from", token).exitCode == 0)
        }
        let result = try daemon.ctl("history", "prune")
        #expect(result.lines.first?.hasPrefix("1 transaction is gone, up to ") == true, "\(result.output)")
        #expect(result.lines.last == "kept for slow")
        #expect(try daemon.json("history", "prune").first?["holders"] == ["slow"])
        #expect(try daemon.ctl("consumers", "remove", "slow").exitCode == 0)
        #expect(try daemon.json("history", "prune").first?["holders"] == [])
    }

    @Test func aReleaseSaysWhatGoesAndTheNextOneThatNothingIsLeft() throws {
        let daemon = try start()
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        let token = try #require(try daemon.json("history").first?["token"]?.stringValue)
        #expect(try daemon.ctl("consumers", "add", "watch").exitCode == 0)
        #expect(try daemon.ctl("handover", "Tag", "--to", "model").exitCode == 0)
        #expect(daemon.stop() == 0)
        let released = try Programs.ctl("release", sample.path).output
        #expect(released.contains("the record of 1 handover and"), "\(released)")
        #expect(released.contains("the consumers watch;"), "\(released)")
        let nothing = try Programs.ctl("release", sample.path).output
        #expect(nothing.hasSuffix("is not adopted: there was nothing to remove\n"))
        let again = try start()
        let expired = try again.ctl("history", "--after", token)
        #expect(expired.errors.contains("the store was restored or adopted anew since"), "\(expired.errors)")
    }

    @Test func waysOutNameTheCommandsWhole() throws {
        let thaw = try Programs.ctl("thaw")
        #expect(thaw.exitCode == 2)
        #expect(thaw.errors.contains("coexistctl thaw STORE [ENTITY], or coexistctl thaw ENTITY"), "\(thaw.errors)")
        let daemon = try start()
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        let refused = try daemon.ctl("update", "Tag/1", "name=b", "--stack", "model")
        #expect(refused.errors.contains("`--stack legacy`"), "\(refused.errors)")
    }
}
