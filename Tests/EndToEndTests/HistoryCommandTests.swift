import Foundation
import LegacyStack
import StoreFormat
import TestKit
import Testing
import Varlink

/// `coexistctl history` where there is more of it than is read or sent at once.
@Suite struct HistoryCommandTests {
    private static let count = 2_600

    /// A daemon on a store with that many transactions of an embedded instance: every third by the reader, the next by the
    /// writer, the next by nobody; every tenth is about a shelf, the others about tags.
    private func daemon() throws -> (RunningDaemon, SampleStore) {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let instance = try LegacyInstance(path: sample.path)
        defer { instance.close() }
        for i in 1...Self.count {
            let (entity, key) = i % 10 == 0 ? ("Shelf", "label") : ("Tag", "name")
            let values = [key: ObjectBatch.Input.attribute(.string("\(i)"))]
            let author = [1: "reader", 2: "writer"][i % 3]
            _ = try instance.save(ObjectBatch([.insert(entity: entity, name: "new", values: values)], author: author))
        }
        return (daemon, sample)
    }

    private func number(_ transaction: JSON) -> Int? {
        transaction["token"]?.stringValue?.split(separator: ":").last.flatMap { Int($0) }
    }

    @Test func aTokenThatHasNotBeenHandedOutIsRefused() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        let token = try #require(try daemon.json("status").first?["history"]?["last"]?.stringValue)
        #expect(try daemon.ctl("history", "--after", token).exitCode == 0)
        let ahead = token.dropLast() + "2"
        for words in [["history", "--after", "\(ahead)"], ["history", "--after", "\(ahead)", "--follow"]] {
            let result = try Programs.run(
                Programs.coexistctl, words + ["--json"], environment: ["COEXIST_SOCKET": daemon.socket])
            #expect(result.exitCode == 1)
            #expect(result.output.contains(#""code":"Refused""#), "\(result.output)")
            #expect(result.output.contains("there is no transaction 2 yet: history is at 1"), "\(result.output)")
        }
    }

    @Test func everyTransactionIsPrintedOnceAndInOrder() throws {
        let (daemon, sample) = try daemon()
        defer { withExtendedLifetime(sample) {} }
        func numbers(_ arguments: String...) throws -> [Int] {
            let result = try Programs.run(
                Programs.coexistctl, ["history", "--json"] + arguments, environment: ["COEXIST_SOCKET": daemon.socket])
            #expect(result.exitCode == 0, "\(result.errors)")
            return try result.lines.map { try JSON(parsing: $0) }.compactMap { number($0) }
        }
        let all = Array(1...Self.count)
        #expect(try numbers() == all)
        #expect(try numbers("--limit", "150") == Array(1...150))
        #expect(try numbers("--limit", "100") == Array(1...100))
        #expect(try numbers("--limit", "0") == [])
        let last = try #require(try daemon.json("status").first?["history"]?["last"]?.stringValue)
        let token = last.split(separator: ":").dropLast().joined(separator: ":") + ":1000"
        #expect(try numbers("--after", token) == Array(1_001...Self.count))
        #expect(try numbers("--after", token, "--limit", "1234") == Array(1_001...2_234))
        #expect(try numbers("--after", last) == [])

        #expect(try numbers("--author", "reader") == all.filter { $0 % 3 == 1 })
        #expect(try numbers("--author", "reader", "--limit", "350") == Array(all.filter { $0 % 3 == 1 }.prefix(350)))
        #expect(try numbers("--author", "!reader") == all.filter { $0 % 3 != 1 })
        #expect(try numbers("--author", "!nobody") == all)
        #expect(try numbers("--author", "\\reader", "--limit", "2") == [1, 4])
        #expect(try numbers("--entity", "Shelf") == all.filter { $0 % 10 == 0 })
        #expect(
            try numbers("--entity", "Shelf", "--author", "!reader", "--after", token)
                == all.filter { $0 > 1_000 && $0 % 10 == 0 && $0 % 3 != 1 })

        // A client of the interface itself, one that follows, and one that asks for a single reply.
        for parameters: JSONObject in [[:], ["follow": true, "limit": JSON(Self.count)]] {
            var told: [Int] = []
            try daemon.client().stream("org.coexistd.Control.History", parameters) { reply in
                if let transaction = reply["transaction"], let number = number(transaction) { told.append(number) }
                return true
            }
            #expect(told == all)
        }
        let one = try daemon.client().call("org.coexistd.Control.History", [:])
        #expect(one["transaction"].flatMap { number($0) } == 1)
        #expect(try daemon.ctl("history", "--limit", "-1").exitCode != 0)
    }
}
