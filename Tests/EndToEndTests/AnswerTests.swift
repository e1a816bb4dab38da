import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing
import Varlink

/// Answers that say what was asked for, and how to ask.
@Suite struct AnswerTests {
    private func daemon(_ tags: String...) throws -> (RunningDaemon, SampleStore) {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for name in tags { #expect(try daemon.ctl("insert", "Tag", "name=\(name)", "--author", name).exitCode == 0) }
        return (daemon, sample)
    }

    private func token(_ daemon: RunningDaemon) throws -> String {
        try #require(try daemon.json("status").first?["history"]?["last"]?.stringValue)
    }

    @Test(arguments: ["yesterday", "1:2", "2026-02-30", "x:1:y"])
    func howADateIsWrittenIsSaid(text: String) throws {
        let (daemon, sample) = try daemon()
        defer { withExtendedLifetime(sample) {} }
        let result = try daemon.ctl("history", "prune", "--before", text)
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("2026-02-03T18:30:00Z"), "\(result.errors)")
    }

    @Test func oneThingIsSaidInTheSingular() throws {
        let (daemon, sample) = try daemon("a", "b")
        defer { withExtendedLifetime(sample) {} }
        let last = try token(daemon)
        #expect(try daemon.ctl("history", "prune", "--before", last).output.hasPrefix("1 transaction is gone, up to "))
        #expect(try daemon.ctl("status").output.contains(", 1 transaction\n"))
        #expect(try daemon.ctl("compare", "Shelf").output == "0 rows, 0 read differently\n")
        #expect(try daemon.ctl("insert", "Shelf", "label=x").exitCode == 0)
        #expect(try daemon.ctl("compare", "Shelf").output == "1 row, 0 read differently\n")
        let wide = try daemon.ctl("history", "prune", "--before", "2100-01-01", "--dry-run").output
        #expect(wide.hasPrefix("2 transactions would go"), "\(wide)")
    }

    @Test func consumersListLists() throws {
        let (daemon, sample) = try daemon()
        defer { withExtendedLifetime(sample) {} }
        #expect(try daemon.ctl("consumers", "add", "search").exitCode == 0)
        #expect(try daemon.ctl("consumers", "list").output == daemon.ctl("consumers").output)
        #expect(try daemon.ctl("consumers", "show").errors.contains("`consumers` alone lists them"))
    }

    @Test func anObjectHasOneNameInText() throws {
        let (daemon, sample) = try daemon("a")
        defer { withExtendedLifetime(sample) {} }
        #expect(try daemon.ctl("history").lines.last == "  insert Tag/1")
        let name = try #require(try daemon.json("history").first?["changes"]?[0]?["id"]?.stringValue)
        // The end of an URI is taken too.
        for text in ["Tag/1", "Tag/p1", name] {
            #expect(try daemon.ctl("get", text).lines.first == "Tag/1 version 1", "\(text)")
        }
        #expect(try daemon.ctl("get", "Tag/q1").exitCode == 1)
    }

    @Test(arguments: [
        (["--last", "2"], ["e", "f"]), (["--last", "0"], []), (["--last", "9"], ["a", "b", "c", "d", "e", "f"]),
        (["--last", "2", "--author", "!f"], ["d", "e"]), (["--last", "1", "--author", "b"], ["b"]),
        (["--last", "2", "--author", "nobody"], []), (["--last", "3", "--after", "4"], ["e", "f"]),
        (["--last", "3", "--limit", "1"], ["d"]), (["--last", "1", "--entity", "Shelf"], ["s"]),
    ])
    func theNewestTransactionsAreShown(words: [String], authors: [String]) throws {
        let (daemon, sample) = try daemon()
        defer { withExtendedLifetime(sample) {} }
        if authors == ["s"] { #expect(try daemon.ctl("insert", "Shelf", "label=s", "--author", "s").exitCode == 0) }
        for name in ["a", "b", "c", "d", "e", "f"] {
            #expect(try daemon.ctl("insert", "Tag", "name=\(name)", "--author", name).exitCode == 0)
        }
        let result = try Programs.run(
            Programs.coexistctl, ["history", "--json"] + words, environment: ["COEXIST_SOCKET": daemon.socket])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(try result.lines.map { try JSON(parsing: $0)["author"]?.stringValue ?? "" } == authors)
    }

    @Test func metricsAreSamplesInJSON() throws {
        let (daemon, sample) = try daemon("a")
        defer { withExtendedLifetime(sample) {} }
        let samples = try #require(try daemon.json("metrics").first?["samples"]?.arrayValue)
        func value(_ name: String, _ labels: JSON) -> JSON? {
            samples.first { $0["name"]?.stringValue == name && $0["labels"] == labels }?["value"]
        }
        #expect(value("coexist_history_last", [:]) == 1)
        #expect(value("coexist_unit_epoch", ["unit": "Tag", "owner": "legacy"]) == 1)
        #expect(samples.contains { $0["labels"]?["path"]?.stringValue == sample.path })
        let lines = try daemon.ctl("metrics").lines.filter { !$0.hasPrefix("#") }
        #expect(samples.count == lines.count)
    }

    @Test func aFrameworksNameLeadsToItsStack() throws {
        let (daemon, sample) = try daemon()
        defer { withExtendedLifetime(sample) {} }
        for (name, stack) in [("swiftdata", "model"), ("Core Data", "legacy")] {
            let result = try daemon.ctl("handover", "Tag", "--to", name)
            #expect(result.exitCode == 2)
            #expect(result.errors.contains("Give --to \(stack) for \(name): legacy has"), "\(result.errors)")
        }
        #expect(try daemon.ctl("handover", "Tag", "--to", "x").errors.contains("model SwiftData's"))
        #expect(try Programs.ctl("help").output.contains("Stacks: legacy has Core Data's API"))
    }

    @Test func doctorSaysThatItLookedAtNoStore() throws {
        let result = try Programs.ctl("doctor")
        #expect(result.output.contains("no store was looked at: `coexistctl doctor STORE` does"), "\(result.output)")
        let sample = try SampleStore()
        #expect(try !Programs.ctl("doctor", sample.path).output.contains("no store was looked at"))
    }

    @Test func aConfigurationIsCheckedAgainstTheStoreThatIsThere() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("config.json")
        func check(_ ownership: String) throws -> Programs.Result {
            try Data(#"{"store": "Library.sqlite", "ownership": \#(ownership)}"#.utf8)
                .write(to: URL(fileURLWithPath: file))
            return try Programs.run(Programs.coexistd, ["--check-config", file])
        }
        let unknown = #"{"entities": {"Tagg": "model"}}"#
        #expect(try check(unknown).exitCode == 0)
        try StoreCreator.create(folder.file("Library.sqlite"), model: SampleModels.library)
        let refused = try check(unknown)
        #expect(refused.exitCode == 2)
        #expect(refused.errors.contains("BadConfiguration: ownership.entities.Tagg"), "\(refused.errors)")
        let torn = try check(#"{"entities": {"Member": "model", "Card": "legacy"}}"#)
        #expect(torn.exitCode == 2 && torn.errors.contains("one unit of ownership"), "\(torn.errors)")
        #expect(try check(#"{"entities": {"Tag": "model"}, "relationships": {"Book.tags": "legacy"}}"#).exitCode == 0)
    }

    @Test func createTellsTheModelsWarnings() throws {
        let folder = try TemporaryFolder()
        let model = folder.file("M.xcdatamodel")
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: false)
        try Data(
            """
            <?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Boat"><relationship name="crew" optional="YES" toMany="YES" deletionRule="Nullify"
            destinationEntity="Sailor"/></entity>
            <entity name="Sailor"><attribute name="name" optional="YES" attributeType="String"/></entity></model>
            """.utf8
        ).write(to: URL(fileURLWithPath: model + "/contents"))
        let warnings = try Programs.ctl("inspect", model).lines.filter { $0.hasPrefix("warning: ") }
        #expect(warnings.count == 1)
        let made = try Programs.ctl("create", folder.file("a.sqlite"), "--model", model)
        #expect(made.exitCode == 0 && made.errors.contains(warnings.first ?? "?"), "\(made.errors)")
        let json = try JSON(
            parsing: try Programs.ctl("create", folder.file("b.sqlite"), "--model", model, "--json").output)
        #expect(json["warnings"]?.arrayValue?.count == 1)
    }

    @Test func inspectShowsTheUnitsAndWhyTheyAreSuch() throws {
        let sample = try SampleStore()
        let output = try Programs.ctl("inspect", sample.path).output
        for line in [
            "units      entities that move together; every other entity moves by itself",
            "  Card: Author, Card, Member, Person", "    one table: Person, Author, Member",
            "    one-to-one: Card.member and Member.card",
        ] {
            #expect(output.contains(line + "\n"), "\(output)")
        }
        let units = try #require(try JSON(parsing: try Programs.ctl("inspect", sample.path, "--json").output)["units"])
        #expect(units.arrayValue?.map { $0["name"] } == ["Book", "Card", "Shelf", "Tag"])
        #expect(units[1]?["entities"] == ["Author", "Card", "Member", "Person"])
        #expect(units[1]?["trees"] == [["Person", "Author", "Member"]])
        #expect(
            units[1]?["pairs"]
                == [["entity": "Card", "property": "member", "inverseEntity": "Member", "inverse": "card"]])
        // A daemon calls it the same.
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let owners = try #require(try daemon.json("owners").first?.arrayValue)
        #expect(owners.first { $0["entity"] == "Member" }?["unit"] == "Card")
    }

    @Test func whatWasThereBeforeAdoptionIsNotCountedAsNew() throws {
        let sample = try SampleStore()
        _ = try Programs.sqlite3(
            sample.path,
            "INSERT INTO ZBOOK (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZPAGES, ZSHELF) SELECT 1, Z_ENT, 1, 'x', 1, 77 "
                + "FROM Z_PRIMARYKEY WHERE Z_NAME = 'Book'; UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Book'")
        let before = try Programs.ctl("verify", sample.path)
        let count = before.lines.count - 1
        #expect(before.exitCode == 1 && count > 0)
        #expect(before.lines.last == "\(count) violation\(count == 1 ? "" : "s")")
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("verify").lines.last == "0 new violations, \(count) inherited")
        #expect(try daemon.json("verify").first?["counts"] == ["error": 0, "inherited": JSON(count)])
        #expect(daemon.stop() == 0)
        let after = try Programs.ctl("verify", sample.path)
        #expect(after.exitCode == 0 && after.lines.last == "0 new violations, \(count) inherited", "\(after.output)")
    }

    @Test func aStoreIsAdoptedWithoutBeingServed() throws {
        let sample = try SampleStore()
        let made = try Programs.ctl("adopt", sample.path, "--owner", "model")
        #expect(made.exitCode == 0)
        #expect(made.output.hasPrefix("\(sample.path) is adopted: the model stack owns everything; the copy"))
        let owners = try JSON(parsing: try Programs.ctl("inspect", sample.path, "--json").output)["ownership"]
        #expect(Set((owners?.arrayValue ?? []).map { $0["owner"]?.stringValue }) == ["model"])
        #expect(try Programs.sqlite3(sample.path, "INSERT INTO ZTAG (ZNAME) VALUES ('a')").errors.contains("guarded"))
        let again = try JSON(parsing: try Programs.ctl("adopt", sample.path, "--json").output)
        #expect(again["adopted"] == false && again["backup"] == .null)
        #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n")
        // Nobody keeps the lock.
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try Programs.ctl("adopt", sample.path).exitCode == 0)
        #expect(try daemon.json("owners").first?[0]?["owner"] == "model")
    }

    @Test func copiesOfAPrivateStoreArePrivate() throws {
        let sample = try SampleStore()
        chmod(sample.path, 0o600)
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("backup", sample.folder.file("live.backup")).exitCode == 0)
        #expect(daemon.stop() == 0)
        #expect(try Programs.ctl("backup", sample.path, sample.folder.file("file.backup")).exitCode == 0)
        let copies = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path)
            .filter { $0.contains(".before-coexist-") || $0.hasSuffix(".backup") }
        #expect(copies.count == 3)
        for name in copies {
            var info = stat()
            #expect(stat(sample.folder.file(name), &info) == 0 && info.st_mode & 0o777 == 0o600, "\(name)")
        }
    }
}
