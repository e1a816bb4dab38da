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

    @Test(arguments: [
        ("ALTER TABLE ZSHELF RENAME COLUMN ZLABEL TO ZX", "ZSHELF.ZLABEL"), ("DROP TABLE ACHANGE", "ACHANGE"),
        ("DELETE FROM COEXIST_ENTITY WHERE NAME = 'Tag'", "Tag"),
    ])
    func whatIsGoneSinceTheAdoptionIsTold(sql: String, part: String) throws {
        try adopt()
        #expect(try !findings(doctor(sample.path).report).contains("Damaged"))
        let connection = try Connection(path: sample.path, mode: .readWrite)
        try connection.setMainTriggersEnabled(false)
        try connection.execute(sql)
        let (exitCode, report) = try doctor(sample.path)
        #expect(exitCode != 0)
        let found = (report["findings"]?.arrayValue ?? []).filter { $0["code"]?.stringValue == "Damaged" }
        #expect(found.contains { $0["message"]?.stringValue?.contains(part) == true }, "\(report)")
    }

    @Test func aSecondNameOfTheFileIsWrong() throws {
        try FileManager.default.linkItem(atPath: sample.path, toPath: sample.folder.file("second.sqlite"))
        let (exitCode, report) = try doctor(sample.path)
        #expect(exitCode == 1)
        #expect(findings(report) == ["HardLinked"])
    }

    @Test func aTriggerOfTheGuardThatIsMissingIsWrong() throws {
        try adopt()
        #expect(findings(try doctor(sample.path).report) == [])
        #expect(try Programs.sqlite3(sample.path, "DROP TRIGGER COEXIST_GUARD_ZTAG_UPDATE").exitCode == 0)
        let (exitCode, report) = try doctor(sample.path)
        #expect(exitCode == 1)
        #expect(findings(report) == ["GuardAltered"])
        #expect(report["findings"]?.arrayValue?.contains { "\($0)".contains("COEXIST_GUARD_ZTAG_UPDATE") } == true)
        // A start puts it back.
        try adopt()
        #expect(findings(try doctor(sample.path).report) == [])
    }

    @Test func aLinkBesideTheStoreIsWrong() throws {
        try FileManager.default.createSymbolicLink(
            atPath: sample.path + "-coexist-notice", withDestinationPath: sample.folder.path)
        #expect(findings(try doctor(sample.path).report) == ["SideFileLink"])
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

    @Test(
        "who holds the write lock is named, one that is stopped is found wrong, one that was killed is gone",
        arguments: ["wal", "delete"])
    func holder(journal: String) throws {
        _ = try Programs.sqlite3(sample.path, "PRAGMA journal_mode=\(journal)")
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
        shell.kill()
        let (well, third) = try doctor(sample.path)
        #expect(well == 0 && findings(third) == [] && third["locks"]?["locks"] == [])
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

    private func damage() throws {
        let page = try Programs.sqlite3(sample.path, "SELECT rootpage FROM sqlite_master WHERE name = 'ZSHELF'")
        let file = try #require(FileHandle(forUpdatingAtPath: sample.path))
        try file.seek(toOffset: UInt64((Int(page.lines.first ?? "") ?? 0) - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
    }

    @Test("damaged pages are found wrong, of a large store where it is asked, and a backup says so as well")
    func damaged() throws {
        let link = sample.folder.file("link.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: sample.path)
        let (well, sound) = try doctor(link)
        #expect(well == 0 && sound["pages"] == ["checked": true, "problem": nil])
        #expect(sound["store"]?["path"]?.stringValue == sample.path)
        try damage()
        let (exitCode, report) = try doctor(link)
        #expect(exitCode == 1)
        #expect(findings(report).contains("Damaged"))
        #expect(report["pages"]?["problem"]?.stringValue?.isEmpty == false)

        let copy = sample.folder.file("copy.backup")
        let backup = try Programs.ctl("backup", sample.path, copy, "--json")
        #expect(backup.exitCode == 1)
        #expect(backup.errors.contains("is damaged, and so is the copy"))
        #expect(try JSON(parsing: backup.output)["damage"]?.stringValue?.isEmpty == false)
        #expect(FileManager.default.fileExists(atPath: copy))

        truncate(sample.path, off_t(257 << 20))
        #expect(try doctor(sample.path).report["pages"] == ["checked": false])
        #expect(try Programs.ctl("doctor", sample.path).output.contains("`--pages`"))
        #expect(try doctor(sample.path, "--pages").report["pages"]?["checked"] == true)
    }

    @Test("what a migration left that was killed is told")
    func leftovers() throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: sample.path + "-coexist-migration"))
        let (exitCode, report) = try doctor(sample.path)
        #expect(exitCode == 0)
        #expect(report["coexistence"]?["leftovers"] == [.string(sample.path + "-coexist-migration")])
        #expect(findings(report, "note").contains("Leftovers"))
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
