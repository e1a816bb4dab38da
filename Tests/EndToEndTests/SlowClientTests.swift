import Foundation
import LegacyStack
import StoreFormat
import TestKit
import Testing
import Varlink

/// Clients that ask for much and read little, or nothing.
@Suite struct SlowClientTests {
    /// A store with so many tags, and a daemon that closes clients after a second in which they read nothing.
    private func daemon(_ count: Int) throws -> (RunningDaemon, SampleStore) {
        let sample = try SampleStore()
        let instance = try LegacyInstance(path: sample.path)
        let text = String(repeating: "x", count: 200)
        _ = try instance.save(
            ObjectBatch(
                (1...count).map { i in
                    .insert(entity: "Tag", name: "\(i)", values: ["name": .attribute(.string("\(i) \(text)"))])
                }))
        instance.close()
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)", "wal": {"maximumBytes": 1048576}, "limits": {"stall": 1}}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        return (try RunningDaemon(["--config", configuration], folder: sample.folder), sample)
    }

    /// Resident memory at its highest, in bytes.
    private func peak(_ daemon: RunningDaemon) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(daemon.processIdentifier)/status", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first) * 1_024
    }

    @Test func clientsThatDoNotReadHoldNoLog() throws {
        let (daemon, sample) = try daemon(20_000)
        let before = try peak(daemon)
        var stalled: [Client] = []
        for i in 0..<30 {
            let client = try daemon.client()
            let parameters: JSONObject = i % 2 == 0 ? ["entity": "Tag"] : ["follow": true]
            _ = try client.stream("org.coexistd.Control.\(i % 2 == 0 ? "Fetch" : "History")", parameters)
            stalled.append(client)
        }
        let text = String(repeating: "y", count: 20_000)
        let client = try daemon.client()
        for _ in 0..<200 {
            _ = try client.call("org.coexistd.Control.Insert", ["entity": "Book", "values": ["title": .string(text)]])
        }
        #expect(
            eventually {
                let size = try? FileManager.default.attributesOfItem(atPath: sample.path + "-wal")[.size] as? Int
                return (size ?? .max) <= 1 << 20
            })
        // Those are closed; who reads is not.
        #expect(eventually { (try? client.call("org.coexistd.Control.Status"))?["clients"] == 1 })
        #expect(try peak(daemon) - before < 160 << 20)
        #expect(try client.call("org.coexistd.Control.Status")["alarms"] == [])
        withExtendedLifetime(stalled) {}
    }

    @Test func aFetchInPagesGivesEveryObjectOnceAndNoneThatIsGone() throws {
        let (daemon, sample) = try daemon(8_000)
        defer { withExtendedLifetime(sample) {} }
        var keys: [Int] = []
        try daemon.client().stream("org.coexistd.Control.Fetch", ["entity": "Tag", "sort": ["name"]]) { reply in
            if keys.isEmpty {
                // The page that holds these is not made yet.
                let gone = try daemon.ctl("delete", "Tag/998", "Tag/999")
                #expect(gone.exitCode == 0, "\(gone.errors)")
            }
            let objects = reply["objects"]?.arrayValue ?? []
            #expect(objects.count <= 500)
            keys += objects.compactMap { $0["pk"]?.intValue }
            return true
        }
        let order = (1...8_000).sorted { "\($0) x" < "\($1) x" }
        #expect(keys == order.filter { $0 != 998 && $0 != 999 })
        #expect(try daemon.json("fetch", "Tag", "--limit", "2", "--stack", "model").first?.arrayValue?.count == 2)
    }

    @Test func whatIsTooMuchForOneReplyIsRefused() throws {
        let sample = try SampleStore()
        let instance = try LegacyInstance(path: sample.path)
        let text = String(repeating: "z", count: 1 << 20)
        _ = try instance.save(
            ObjectBatch(
                (1...20).map { .insert(entity: "Book", name: "\($0)", values: ["title": .attribute(.string(text))]) }))
        instance.close()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let client = try daemon.client()
        #expect {
            _ = try client.call("org.coexistd.Control.Fetch", ["entity": "Book"])
        } throws: { error in
            guard case ClientError.remote(let name, _) = error else { return false }
            return name == "org.coexistd.Control.TooLarge"
        }
        #expect(
            try client.call("org.coexistd.Control.Fetch", ["entity": "Book", "limit": 2])["objects"]?.arrayValue?.count
                == 2)
        #expect(try daemon.json("fetch", "Book").first?.arrayValue?.count == 20)
    }
}
