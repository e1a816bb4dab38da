import Foundation
import TestKit
import Testing

/// `crossStackDeletes`, and who wrote last, at the commands.
@Suite struct ForwardTests {
    private let sample: SampleStore
    private let configuration: String

    init() throws {
        sample = try SampleStore()
        configuration = sample.folder.file("config.json")
    }

    private func configure(_ crossStackDeletes: String) throws {
        try """
        {"store": "\(sample.path)", "ownership": {"entities": {"Book": "model"}}, \
        "readers": {"maximumAge": 30}, "crossStackDeletes": "\(crossStackDeletes)"}
        """.write(toFile: configuration, atomically: true, encoding: .utf8)
    }

    @Test func aDeleteIsRefusedOrForwardedAsTheConfigurationSays() throws {
        try configure("refuse")
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(try daemon.ctl("insert", "Author", "name=Defoe").exitCode == 0)
        #expect(try daemon.ctl("insert", "Book", "title=Moll", "author=Author/1").exitCode == 0)
        let refused = try daemon.json("delete", "Author/1").first?["error"]
        #expect(refused?["code"]?.stringValue == "CrossStackDelete")
        #expect(refused?["details"]?["objects"]?.arrayValue?.first?["owner"]?.stringValue == "model")
        #expect(refused?["details"]?["objects"]?[0]?["relationship"] == "Author.books")
        #expect(refused?["details"]?["objects"]?[0]?["rule"] == "cascade")
        #expect(try daemon.json("status").first?["forwards"]?["crossStackDeletes"]?.stringValue == "refuse")

        // Taken over while the daemon runs.
        try configure("forward")
        #expect(try daemon.ctl("reload").exitCode == 0)
        #expect(try daemon.ctl("handover", "Tag", "--to", "model", "--dry-run").exitCode == 0)
        #expect(try daemon.ctl("delete", "Author/1").exitCode == 0)
        #expect(try daemon.json("fetch", "Book").first?.arrayValue?.count == 0)
        let history = try daemon.json("history", "--after", "2")
        #expect(history.map { $0["stack"]?.stringValue } == ["model", "legacy"])
        #expect(history.map { $0["cause"]?.stringValue } == [history.last?["token"]?.stringValue, nil])
        #expect(history.map { $0["changes"]?.arrayValue?.count } == [1, 1])
        let forwards = try daemon.json("status").first?["forwards"]
        #expect(forwards?["crossStackDeletes"]?.stringValue == "forward")
        #expect(forwards?["pending"]?.intValue == 0)
        #expect(forwards?["deletes"]?["legacy"]?.intValue == 1 && forwards?["deletes"]?["model"]?.intValue == 0)
        #expect(
            try daemon.ctl("status").lines.contains(
                "forwards 0 under way, done 1 of the legacy stack, 0 of the model stack"))
        let metrics = try daemon.ctl("metrics").lines
        for line in [
            "coexist_forwarded_deletes_total{stack=\"legacy\"} 1", "coexist_pending_forwards 0",
            "coexist_readers_ended_total 0",
        ] {
            #expect(metrics.contains(line), "\(line)")
        }
        #expect(!daemon.messages.contains("does nothing"))
        #expect(daemon.stop() == 0)
        #expect(try Programs.run(Programs.coexistctl, ["verify", sample.path]).exitCode == 0)
        #expect(try Programs.run(Programs.coexistctl, ["audit", sample.path]).exitCode == 0)
    }

    @Test func ownersTellWhoWroteLast() throws {
        try configure("refuse")
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(try daemon.ctl("insert", "Book", "title=b").exitCode == 0)
        #expect(try daemon.ctl("insert", "Tag", "name=c").exitCode == 0)
        let last = try #require(try daemon.json("history", "--after", "2").first)
        let owners = try #require(try daemon.json("owners").first?.arrayValue)
        func write(_ entity: String) -> [String: String?]? {
            owners.first { $0["entity"]?.stringValue == entity }?["lastWrite"]?.objectValue.map { object in
                Dictionary(object.map { ($0, $1.stringValue) }, uniquingKeysWith: { first, _ in first })
            }
        }
        #expect(write("Tag")?["token"] == last["token"]?.stringValue)
        #expect(write("Tag")?["at"] == last["timestamp"]?.stringValue)
        #expect(write("Tag")?["stack"] == "legacy" && write("Tag")?["process"] == "coexistd")
        #expect(write("Book")?["stack"] == "model")
        // Not written since adoption.
        #expect(write("Shelf") == nil)
        let text = try daemon.ctl("owners").lines
        #expect(text.first?.contains("last write") == true)
        #expect(text.contains { $0.hasPrefix("Tag ") && $0.contains("3 legacy") })
        #expect(text.contains { $0.hasPrefix("Shelf ") && $0.hasSuffix("-") })
        #expect(daemon.stop() == 0)
    }
}
