import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing
import Varlink

/// What `coexistctl doctor` tells of a store.
@Suite
struct DoctorTests {
    private let sample: SampleStore

    init() throws {
        sample = try SampleStore()
    }

    private func doctor(_ arguments: String...) throws -> (exitCode: Int32, report: JSON) {
        let result = try Programs.run(Programs.coexistctl, ["doctor", "--json"] + arguments)
        return (result.exitCode, try JSON(parsing: result.output))
    }

    private func findings(_ report: JSON, _ severity: String = "wrong") -> [String] {
        (report["findings"]?.arrayValue ?? []).filter { $0["severity"]?.stringValue == severity }
            .compactMap { $0["code"]?.stringValue }
    }

    private func adopt() throws {
        #expect(try RunningDaemon(store: sample.path, folder: sample.folder).stop() == 0)
    }

    @Test("a store that is well, and every byte beside it, is looked at and not touched")
    func well() throws {
        try adopt()
        let before = try FileImage.of(sample.folder.path)
        let (exitCode, report) = try doctor(sample.path)
        #expect(findings(report) == [])
        #expect(exitCode == 0)
        #expect(try FileImage.of(sample.folder.path) == before)
        #expect(report["store"]?["path"]?.stringValue?.hasSuffix("/Library.sqlite") == true)
        #expect(report["store"]?["journalMode"] == "wal")
        #expect(report["store"]?["pageSize"] == 4096)
        #expect(report["coexistence"]?["adopted"] == true)
        #expect(report["coexistence"]?["guard"] == "always")
        #expect(report["locks"]?["locks"] == [])
        #expect(report["sqlite"]?["libraries"]?.arrayValue?.count == 1)
        let text = try Programs.ctl("doctor", sample.path)
        #expect(text.exitCode == 0)
        #expect(text.lines.last == "nothing is wrong")
    }

    @Test("without a store it tells of the library and the system")
    func noStore() throws {
        let (exitCode, report) = try doctor()
        #expect(exitCode == 0)
        #expect(report["sqlite"]?["version"]?.stringValue == Connection.libraryVersion)
        #expect(report["system"]?["kernel"]?.stringValue?.hasPrefix("Linux ") == true)
        #expect(report["store"] == nil)
    }

    @Test("who holds the write lock is named, and one that is stopped is found wrong")
    func holder() throws {
        let shell = try HoldingShell(sample.path)
        let (exitCode, report) = try doctor(sample.path)
        #expect(exitCode == 0)
        let lock = report["locks"]?["locks"]?.arrayValue?.first { $0["lock"] == "write" || $0["lock"] == "reserved" }
        #expect(lock?["process"]?.intValue == Int(shell.processIdentifier))
        #expect(lock?["name"] == "sqlite3")
        #expect(lock?["exclusive"] == true)
        shell.stop()
        let (wrong, second) = try doctor(sample.path)
        #expect(wrong == 1)
        #expect(findings(second) == ["StoppedHolder"])
        #expect(try Programs.ctl("doctor", sample.path).output.contains("process \(shell.processIdentifier) (sqlite3)"))
    }

    @Test("a daemon that holds the store is named")
    func daemon() throws {
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let (exitCode, report) = try doctor(sample.path)
        #expect(exitCode == 0)
        #expect(report["locks"]?["daemon"]?.intValue == Int(daemon.processIdentifier))
        let open = (report["locks"]?["locks"]?.arrayValue ?? []).filter { $0["lock"] == "open" }
        #expect(open.compactMap { $0["process"]?.intValue } == [Int(daemon.processIdentifier)])
    }

    @Test("a freeze whose daemon is gone, and a log that others may not write, are found wrong")
    func wrongs() throws {
        try adopt()
        let connection = try StoreConnector.connect(sample.path, .writer(.full))
        try connection.execute("UPDATE COEXIST_UNIT SET FROZEN = 1 WHERE NAME = 'Tag'")
        chmod(sample.path + "-wal", 0o600)
        chmod(sample.path, 0o660)
        let (exitCode, report) = try doctor(sample.path)
        #expect(exitCode == 1)
        #expect(report["coexistence"]?["frozen"] == ["Tag"])
        #expect(findings(report).contains("FrozenWithoutDaemon"))
        #expect(findings(report).contains("SidecarOwner"))
    }

    @Test("a file that is no store, or none at all, is a finding and no failure")
    func noStoreAtAll() throws {
        let path = sample.folder.file("letter.txt")
        try Data("Dear Sir or Madam".utf8).write(to: URL(fileURLWithPath: path))
        let (exitCode, report) = try doctor(path)
        #expect(exitCode == 1)
        #expect(findings(report).contains("NotADatabase"))
        let (missing, none) = try doctor(sample.folder.file("none"))
        #expect(missing == 1)
        #expect(findings(none).contains("NotFound"))
        #expect(try Programs.ctl("doctor", "a", "b").exitCode == 2)
    }
}
