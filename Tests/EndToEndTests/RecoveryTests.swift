import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing
import Varlink

/// Backup, restore and salvage, as a person at a shell runs them.
@Suite struct RecoveryTests {
    /// A store whose model the library's can be migrated to.
    private static func otherModel(_ folder: TemporaryFolder) throws -> String {
        var model = SampleModels.library
        model.entities.append(EntityDescription(name: "Zone"))
        let path = folder.file("Other.sqlite")
        try StoreCreator.create(path, model: model)
        return path
    }

    @Test func aBackupOfALiveStoreIsRestoredWhenTheDaemonIsGone() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=first").exitCode == 0)
        let token = try #require(try daemon.json("history").last?["token"]?.stringValue)
        let copy = sample.folder.file("copy.backup")
        // Straight from the file, the log of the running daemon included.
        #expect(try Programs.ctl("backup", sample.path, copy).exitCode == 0)
        #expect(try daemon.ctl("insert", "Tag", "name=second").exitCode == 0)

        let refused = try Programs.ctl("restore", copy, sample.path)
        #expect(refused.exitCode == 1)
        #expect(refused.errors.contains("Busy") && refused.errors.contains("process \(daemon.processIdentifier)"))
        #expect(refused.errors.contains("Stop the daemon first"), "\(refused.errors)")
        #expect(daemon.stop() == 0)

        let result = try Programs.ctl("restore", copy, sample.path, "--json")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.errors.contains("warning") && result.errors.contains("1 newer transaction"))
        let report = try JSON(parsing: result.output)
        #expect(report["timeline"] == 2)
        let replaced = try #require(report["replaced"]?.stringValue)
        for (path, names) in [(sample.path, ["first"]), (replaced, ["first", "second"]), (copy, ["first"])] {
            #expect(try Programs.sqlite3(path, "SELECT ZNAME FROM ZTAG ORDER BY 1").lines == names)
        }
        #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n")

        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try again.ctl("history", "--after", token).errors.contains("TokenExpired"))
        #expect(try again.ctl("insert", "Tag", "name=second").exitCode == 0)
        let next = try #require(try again.json("history").last?["token"]?.stringValue)
        // The number that the lost transaction had is not handed out again.
        #expect(next.hasSuffix(":2:3"))
        // What is missing before it is no gap.
        #expect(try again.ctl("handover", "Tag", "--to", "model").exitCode == 0)
        #expect(again.stop() == 0)
        #expect(try Programs.ctl("verify", sample.path).exitCode == 0)
        let audit = try Programs.ctl("audit", sample.path)
        #expect(audit.exitCode == 0, "\(audit.output)")
    }

    @Test func whatIsLeftOfADamagedStoreIsSalvaged() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for name in ["a", "b"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        #expect(try daemon.ctl("insert", "Shelf", "label=one").exitCode == 0)
        let busy = try Programs.ctl("salvage", sample.path, sample.folder.file("out.store"))
        #expect(busy.errors.contains("Busy"))
        // Who is in the way is named, and the way out is one that there is.
        for arguments in [
            ["salvage", sample.path, sample.folder.file("out.store")], ["release", sample.path], ["thaw", sample.path],
            ["verify", sample.path, "--repair"], ["migrate", sample.path, "--to", try Self.otherModel(sample.folder)],
        ] {
            let result = try Programs.run(Programs.coexistctl, arguments)
            #expect(result.errors.contains("Busy"), "\(arguments): \(result.output) \(result.errors)")
            #expect(result.errors.contains("process \(daemon.processIdentifier)"), "\(arguments): \(result.errors)")
            #expect(result.errors.contains("Stop the daemon first"), "\(arguments): \(result.errors)")
        }
        #expect(daemon.stop() == 0)
        let page = try #require(
            Int(
                try Programs.sqlite3(sample.path, "SELECT rootpage FROM sqlite_master WHERE name = 'ZSHELF'").lines
                    .first ?? ""))
        let file = try #require(FileHandle(forUpdatingAtPath: sample.path))
        try file.seek(toOffset: UInt64(page - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()

        let verified = try Programs.ctl("verify", sample.path, "--json")
        #expect(verified.exitCode == 1)
        let violations = try JSON(parsing: verified.output)["violations"]?.arrayValue ?? []
        #expect(violations.map { $0["where"] } == ["ZSHELF"], "a damaged page is said once")
        let before = try FileImage.of(sample.folder.path)
        let release = try Programs.ctl("release", sample.path)
        #expect(release.exitCode == 4 && release.errors.contains("Damaged"), "\(release.errors)")
        #expect(release.errors.contains("coexistctl salvage") && release.errors.contains("coexistctl restore"))
        #expect(try FileImage.of(sample.folder.path) == before, "what is damaged is not written")
        let out = sample.folder.file("out.store")
        let result = try Programs.ctl("salvage", sample.path, out, "--json")
        #expect(result.exitCode == 1)
        let report = try JSON(parsing: result.output)
        let parts = (report["entities"]?.arrayValue ?? []).filter { $0["read"] != 0 || $0["lost"] != 0 }
        #expect(parts.map { $0["entity"] } == ["Shelf", "Tag"])
        #expect(parts.map { $0["read"] } == [0, 2])
        #expect(parts.map { $0["lost"] } == [1, 0])
        #expect(try Programs.ctl("verify", out).output == "0 violations\n")
        #expect(try Programs.sqlite3(out, "SELECT ZNAME FROM ZTAG ORDER BY 1").lines == ["a", "b"])
    }

    @Test func withoutItsListOfTablesAStoreIsSalvagedByItsModel() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for name in ["a", "b"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        #expect(daemon.stop() == 0)
        let pages = try Programs.sqlite3(sample.path, "SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'").lines
        let file = try #require(FileHandle(forUpdatingAtPath: sample.path))
        for page in pages.compactMap(UInt64.init) {
            try file.seek(toOffset: page == 1 ? 100 : (page - 1) * 4096)
            try file.write(contentsOf: Data(repeating: 0, count: page == 1 ? 3996 : 4096))
        }
        try file.close()
        #expect(try Programs.ctl("verify", sample.path).exitCode == 4)
        let out = sample.folder.file("out.store")
        let result = try Programs.ctl("salvage", sample.path, out)
        // Nothing tells any more that this is all.
        #expect(result.exitCode == 1, "\(result.output) \(result.errors)")
        // What was read, in words: an entity without objects, one with two, and a join table.
        for line in [
            #"entity Book +0 objects  none that is known of"#, #"entity Tag +2 objects  none that is known of"#,
            #"join table Z_1TAGS +0 pairs +none that is known of"#,
        ] {
            #expect(result.output.range(of: line, options: .regularExpression) != nil, "\(line) \(result.output)")
        }
        #expect(result.output.contains("note: guessed: 2 rows of ZTAG, columns in the order of a new table"))
        #expect(try Programs.ctl("verify", out).output == "0 violations\n")
        #expect(try Programs.sqlite3(out, "SELECT ZNAME FROM ZTAG ORDER BY 1").lines == ["a", "b"])
    }

    @Test func anObjectThatLacksSomethingMandatoryIsNamed() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(daemon.stop() == 0)
        let planted = try Programs.sqlite3(
            sample.path, "DROP TRIGGER COEXIST_GUARD_ZTAG_UPDATE; UPDATE ZTAG SET ZNAME = NULL")
        #expect(planted.exitCode == 0, "\(planted.errors)")
        let text = try Programs.ctl("salvage", sample.path, sample.folder.file("a.store"))
        #expect(text.output.contains("Tag/1 has no name, which is mandatory"))
        let json = try JSON(
            parsing: Programs.ctl("salvage", sample.path, sample.folder.file("b.store"), "--json").output)
        #expect(json["unsavable"] == [["entity": "Tag", "pk": 1, "property": "name"]] && json["unsavableCount"] == 1)
        let verified = try Programs.ctl("verify", sample.folder.file("b.store"))
        #expect(verified.exitCode == 1 && verified.output.contains("value-mandatory: ZTAG 1.name"))
    }

    @Test func aCounterBehindItsTableIsMendedByTheCommand() throws {
        let sample = try SampleStore()
        // With the guard on, such a thing cannot be written.
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)", "guard": "off"}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        for name in ["a", "b"] { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        #expect(try daemon.ctl("insert", "Card", "number=1").exitCode == 0)
        #expect(try daemon.ctl("handover", "Card", "--to", "model").exitCode == 0)
        #expect(daemon.stop() == 0)
        let planted = try Programs.sqlite3(
            sample.path, "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME IN ('Tag', 'Card')")
        #expect(planted.exitCode == 0, "\(planted.errors)")
        let verified = try Programs.ctl("verify", sample.path)
        #expect(verified.exitCode == 1)
        #expect(verified.output.contains("key-counter: ZTAG") && verified.output.contains("key-counter: ZCARD"))
        let repaired = try Programs.ctl("verify", sample.path, "--repair")
        #expect(repaired.exitCode == 0, "\(repaired.output)")
        #expect(repaired.output.contains("repaired: "))
        #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n")
        let again = try RunningDaemon(["--config", configuration], folder: sample.folder)
        let tag = try again.ctl("insert", "Tag", "name=c", "--stack", "legacy")
        #expect(tag.output.hasPrefix("Tag/3 "), "\(tag.output) \(tag.errors)")
        let card = try again.ctl("insert", "Card", "number=2", "--stack", "model")
        #expect(card.output.hasPrefix("Card/2 "), "\(card.output) \(card.errors)")
        #expect(again.stop() == 0)
        #expect(try Programs.sqlite3(sample.path, "SELECT group_concat(ZNAME) FROM ZTAG").output == "a,b,c\n")
        #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n")
    }

    @Test func aBackupOfALiveStoreReadsTheSameThroughBothStacks() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let names = (1...5).map { "tag \($0)" }
        for name in names { #expect(try daemon.ctl("insert", "Tag", "name=\(name)").exitCode == 0) }
        #expect(try daemon.ctl("insert", "Shelf", "label=one").exitCode == 0)
        #expect(try daemon.ctl("insert", "Book", "title=Emma", "shelf=Shelf/1", "tags=Tag/1,Tag/2").exitCode == 0)
        func dump(_ path: String, _ stack: String) throws -> String {
            let result = try Programs.ctl("dump", path, "--stack", stack)
            #expect(result.exitCode == 0, "\(result.errors)")
            return result.output
        }
        let live = try dump(sample.path, "legacy")
        let copy = sample.folder.file("copy.backup")
        let made = try Programs.ctl("backup", sample.path, copy)
        #expect(made.exitCode == 0, "\(made.errors)")
        // The live store goes on, and the copy stays as it was.
        #expect(try daemon.ctl("insert", "Tag", "name=late").exitCode == 0)
        for stack in ["legacy", "model"] { #expect(try dump(copy, stack) == live, "\(stack)") }
        #expect(live.split(separator: "\n").count == 7)
        #expect(try dump(sample.path, "model") != live)
        #expect(try Programs.ctl("verify", copy).output == "0 violations\n")
        #expect(try Programs.sqlite3(copy, "SELECT ZNAME FROM ZTAG ORDER BY Z_PK").lines == names)
        #expect(try daemon.json("fetch", "Tag", "--count").first == 6)
        #expect(daemon.stop() == 0)
        #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n")
    }
}
