import Foundation
import TestKit
import Testing

/// What a daemon measures, by command and by file.
@Suite struct MetricsTests {
    @Test func metricsAreOpenMetricsTextWithTheStacksAndTheUnits() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for name in ["a", "b"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        #expect(try daemon.ctl("replay").exitCode == 0)
        #expect(try daemon.ctl("consumers", "add", "search", "--from", "1").exitCode == 0)
        // A replay is counted right after it has been waited for.
        #expect(eventually { (try? daemon.ctl("metrics").lines.contains("coexist_staleness_seconds_count 2")) == true })
        let lines = try daemon.ctl("metrics").lines
        for line in [
            "coexist_history_last 2", "coexist_commits_total{stack=\"legacy\"} 2",
            "coexist_commits_total{stack=\"model\"} 0", "coexist_replay_lag{stack=\"model\"} 0",
            "coexist_staleness_seconds_count 2", "coexist_consumer_lag{consumer=\"search\"} 1",
            "coexist_unit_epoch{unit=\"Tag\",owner=\"legacy\"} 1", "coexist_unit_frozen{unit=\"Tag\"} 0",
            "coexist_untracked_commits_total 0",
            "coexist_read_only 0",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(lines.last == "# EOF")
        // Each metric is described before its first sample, and its samples stand together.
        var described: [String] = []
        for line in lines.dropLast() {
            let words = line.split(separator: " ")
            if line.hasPrefix("# TYPE ") {
                #expect(!described.contains(String(words[2])), "\(line)")
                described.append(String(words[2]))
            } else if !line.hasPrefix("#") {
                #expect(line.hasPrefix(described.last ?? "-"), "\(line)")
                #expect(Double(words.last ?? "") != nil, "\(line)")
            }
        }
        #expect(daemon.stop() == 0)
    }

    @Test func aFileIsWrittenWholeAndGoesWithTheDaemon() throws {
        let sample = try SampleStore()
        let file = sample.folder.file("coexist.prom")
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)", "metricsFile": "coexist.prom"}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(eventually { (try? String(contentsOfFile: file, encoding: .utf8))?.hasSuffix("# EOF\n") == true })
        #expect(daemon.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func aWriteThatHistoryDoesNotTellOfRaisesAnAlarmInStatusMetricsAndLog() throws {
        let sample = try SampleStore()
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)", "guard": "off"}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        let write = "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 7, 1, 'x')"
        #expect(try Programs.sqlite3(sample.path, write).exitCode == 0)
        #expect(
            eventually { (try? daemon.ctl("metrics").lines.contains("coexist_untracked_commits_total 1")) == true })
        let alarms = try daemon.json("status").first?["alarms"]?.arrayValue ?? []
        #expect(alarms.count == 1)
        #expect(daemon.messages.contains("1 commit by another program that no history tells of"))
        #expect(daemon.stop() == 0)
    }

    @Test func aWriteWhileNoDaemonRanIsToldOfAtTheStart() throws {
        let sample = try SampleStore()
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)", "guard": "record"}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        #expect(try RunningDaemon(["--config", configuration], folder: sample.folder).stop() == 0)
        let write = "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 7, 1, 'x')"
        #expect(try Programs.sqlite3(sample.path, write).exitCode == 0)
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        let text = "while no daemon ran, another program wrote rows that no history tells of: ZTAG (1 row)"
        #expect(try daemon.json("status").first?["alarms"] == [.string(text)])
        #expect(try daemon.ctl("metrics").lines.contains("coexist_untracked_commits_total 1"))
        #expect(daemon.messages.contains("error: \(text)"), "\(daemon.messages)")
        #expect(daemon.stop() == 0)
    }
}
