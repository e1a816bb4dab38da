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
}
