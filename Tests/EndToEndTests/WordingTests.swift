import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What the commands say to a person: nothing that has to be guessed.
@Suite struct WordingTests {
    @Test func anObjectShowsWhatItLacks() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Notes.sqlite")
        try StoreCreator.create(
            path,
            model: Short.model(
                Short.entity("Book", [Short.attribute("title")], [Short.toMany("notes", "Note", inverse: "book")]),
                Short.entity(
                    "Note", [Short.attribute("text"), Short.attribute("page", .integer16)],
                    [Short.toOne("book", "Book", inverse: "notes")])))
        let daemon = try RunningDaemon(store: path, folder: folder)
        #expect(try daemon.ctl("insert", "Note", "text=a").exitCode == 0)
        #expect(
            try daemon.ctl("get", "Note/1").lines.prefix(3) == [
                "Note/1 version 1", "  text = a", "  missing: page, book",
            ])
        #expect(try daemon.ctl("insert", "Book", "title=b").exitCode == 0)
        #expect(try daemon.ctl("update", "Note/1", "page=3", "book=Book/1").exitCode == 0)
        #expect(try !daemon.ctl("get", "Note/1").output.contains("missing"))
    }

    @Test func historyNamesItsFields() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a", "--author", "Ann").exitCode == 0)
        let line = try #require(try daemon.ctl("history").lines.first)
        #expect(line.hasSuffix(" legacy, author Ann, context org.coexistd.control, process coexistd"), "\(line)")
    }

    @Test(arguments: [
        (["freeze"], "ENTITY is missing"), (["insert"], "ENTITY is missing"),
        (["update", "Tag/1"], "key=value… is missing"),
        (["diff", "a"], "B is missing behind a"), (["get"], "OBJECT… is missing"),
    ])
    func whatIsMissingIsNamed(arguments: [String], what: String) throws {
        let result = try Programs.run(Programs.coexistctl, arguments)
        #expect(result.exitCode == 2)
        #expect(result.errors.contains(what), "\(result.errors)")
    }

    @Test(arguments: ["identifier == %@", "title == 'x' AND identifier != %@", "identifier IN {%@}"])
    func aUUIDWithoutQuotesIsRefusedWithTheQuotedOne(predicate: String) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let uuid = "5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01"
        let bare = try daemon.ctl("fetch", "Book", "--where", predicate.replacingOccurrences(of: "%@", with: uuid))
        #expect(bare.exitCode == 1)
        #expect(bare.errors.contains("BadPredicate") && bare.errors.contains("quotes: '\(uuid)'"), "\(bare.errors)")
    }

    @Test func aKeyThatIsNothingLikeAnyIsAnsweredWithAll() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("config.json")
        try Data(#"{"store": "x", "metrics": "m.txt"}"#.utf8).write(to: URL(fileURLWithPath: file))
        let result = try Programs.run(Programs.coexistd, ["--check-config", file])
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("metrics: there is no such key") && result.errors.contains("metricsFile"))
    }

    /// A key and the entity that it is of are two columns of one relationship.
    @Test func aPropertyWithoutColumnsIsReportedOnce() throws {
        func model(_ more: [RelationshipDescription]) -> ModelDescription {
            Short.model(
                Short.entity("Item", [Short.attribute("title")]), Short.entity("Book", parent: "Item"),
                Short.entity("Shelf", [Short.attribute("name")], more))
        }
        let folder = try TemporaryFolder()
        let path = folder.file("Shelves.sqlite")
        try StoreCreator.create(path, model: model([]))
        let store = try Store.open(
            path, model: model([Short.toOne("first", "Item")]), requiringEqualHashes: false)
        let found = try StoreVerifier.verify(StoreConnector.offlineReader(path), store: store)
        #expect(found.filter { $0.rule == "column-missing" }.map(\.place) == ["ZSHELF Shelf.first"])
    }
}
