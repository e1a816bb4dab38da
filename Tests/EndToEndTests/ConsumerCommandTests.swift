import Foundation
import TestKit
import Testing

/// `consumers` and `history prune` against a running daemon.
@Suite struct ConsumerCommandTests {
    @Test func readersAreAddedListedAcknowledgedAndRemoved() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for name in ["a", "b", "c"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        let tokens = try daemon.json("history").compactMap { $0["token"]?.stringValue }
        #expect(tokens.count == 3)

        let refused = try daemon.ctl("history", "prune")
        #expect(refused.exitCode == 1)
        #expect(refused.errors.contains("--before"))

        #expect(try daemon.ctl("consumers", "add", "search", "--from", tokens[0]).exitCode == 0)
        let list = try #require(try daemon.json("consumers").first?.arrayValue)
        #expect(list.count == 1)
        #expect(list[0]["name"]?.stringValue == "search")
        #expect(list[0]["token"]?.stringValue == tokens[0])
        #expect(list[0]["lag"]?.intValue == 2)
        #expect(list[0]["state"]?.stringValue == "active")

        let pruned = try #require(try daemon.json("history", "prune", "--before", tokens[2]).first)
        #expect(pruned["transactions"]?.intValue == 1)
        #expect(pruned["token"]?.stringValue == tokens[0])
        #expect(pruned["holders"]?.arrayValue?.compactMap(\.stringValue) == ["search"])

        #expect(try daemon.ctl("consumers", "ack", "search", tokens[2]).exitCode == 0)
        #expect(try daemon.ctl("consumers", "ack", "search", tokens[1]).exitCode == 1)
        #expect(try daemon.json("history", "prune").first?["transactions"]?.intValue == 2)
        #expect(try daemon.json("history").isEmpty)
        let expired = try daemon.json("history", "--after", tokens[1])
        #expect(expired.first?["error"]?["code"]?.stringValue == "TokenExpired")

        #expect(try daemon.ctl("consumers", "remove", "search").exitCode == 0)
        #expect(try daemon.json("consumers").first?.arrayValue?.isEmpty == true)
        #expect(try daemon.ctl("consumers", "rename", "search").exitCode == 2)
        #expect(daemon.stop() == 0)
    }

    /// The text shows spans of time, the JSON seconds.
    @Test func howFarAReaderIsBehindIsShownForPeopleAndForScripts() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for name in ["a", "b"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        let first = try #require(try daemon.json("history").first?["token"]?.stringValue)
        #expect(try daemon.ctl("consumers", "add", "search", "--from", first).exitCode == 0)
        let text = try daemon.ctl("consumers").output
        #expect(text.firstMatch(of: /search +active +1 +[0-9]+ (s|min)/) != nil, "\(text)")
        #expect(text.firstMatch(of: /[0-9]\.[0-9]/) == nil, "\(text)")
        #expect(try daemon.json("consumers").first?[0]?["lagSeconds"]?.doubleValue ?? 0 > 0)
    }

    @Test func whereAllReadersAreExpiredAPruneSaysSo() throws {
        let sample = try SampleStore()
        do {
            let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
            for name in ["a", "b", "c"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
            let first = try #require(try daemon.json("history").first?["token"]?.stringValue)
            #expect(try daemon.ctl("consumers", "add", "search", "--from", first).exitCode == 0)
            #expect(daemon.stop() == 0)
        }
        let file = sample.folder.file("config.json")
        try Data(
            """
            {"store": "\(sample.path)", "history": {"maximumTransactions": 1, "slowConsumer": "expire"}}
            """.utf8
        ).write(to: URL(fileURLWithPath: file))
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        // The first round of the retention comes at the start.
        #expect(eventually { (try? daemon.json("consumers").first?[0]?["state"]) == "expired" })
        // It has no place any more that it could be behind at.
        let expired = try #require(try daemon.json("consumers").first?[0])
        #expect(expired["lag"] == .null && expired["lagSeconds"] == .null)
        let text = try daemon.ctl("consumers").output
        #expect(text.firstMatch(of: /search +expired +- +- +0\b/) != nil, "\(text)")
        #expect(try !daemon.ctl("metrics").output.contains("coexist_consumer_lag{consumer=\"search\"}"))
        let result = try daemon.ctl("history", "prune")
        #expect(result.exitCode == 1)
        #expect(result.errors.contains("all consumers are expired (search)"))
        #expect(result.errors.contains("history prune --before"))
    }
}
