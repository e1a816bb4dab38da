import Foundation
import LegacyStack
import StoreFormat
import TestKit
import Testing
import Varlink

/// The story that the README tells, against the real daemon and its socket.
@Suite struct StoryTests {
    @Test func anEntityMovesFromOneStackToTheOther() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)

        // A legacy write is read through the model stack.
        let dune = try #require(try daemon.json("insert", "Book", "title=Dune", "pages=412", "--author", "story").first)
        #expect(dune["version"]?.intValue == 1)
        let read = try #require(try daemon.json("get", "Book/1", "--stack", "model").first?[0])
        #expect(read["values"]?["title"] == "Dune")
        #expect(read["values"]?["pages"] == 412)

        // A write by the wrong stack is refused.
        let refused = try daemon.ctl("update", "Book/1", "title=Dune Messiah", "--stack", "model")
        #expect(refused.exitCode == 1)
        #expect(refused.errors.contains("OwnershipViolation") && refused.errors.contains("Book/1"))
        #expect(try daemon.json("get", "Book/1").first?[0]?["values"]?["title"] == "Dune")

        // Handover; now the other stack writes, and the old one is refused.
        let steps = try daemon.json("handover", "Book", "--to", "model", "--reason", "the story")
        #expect(steps.compactMap { $0["step"]?.stringValue } == ["preflight", "freeze", "replay", "compare", "switch"])
        #expect(steps.last?["owner"] == "model")
        #expect(steps.last?["epoch"] == 2)
        #expect(try daemon.ctl("update", "Book/1", "pages=331", "--stack", "legacy").exitCode == 1)
        #expect(try daemon.ctl("update", "Book/1", "pages=331", "--stack", "model").exitCode == 0)

        // In a process of its own, the refused values are still in the context, and go when the entity comes back.
        let embedded = try LegacyInstance(path: sample.path)
        let context = embedded.newContext()
        let object = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).first)
        object.setValue("Dune Messiah", forKey: "title")
        let error = #expect(throws: StoreError.self) { try context.save() }
        #expect(error?.code == .ownershipViolation)
        #expect(error?.objects.map(\.object) == [ObjectReference(entity: "Book", key: 1)])
        #expect(error?.objects.first?.owner == .model)
        #expect(error?.objects.first?.epoch == 2)
        #expect(context.hasChanges)
        #expect(object.value(forKey: "title") as? String == "Dune Messiah")
        #expect(try daemon.json("handover", "Book", "--back").last?["epoch"] == 3)
        try embedded.replay()
        try context.save()
        embedded.close()

        // History shows all of it.
        let token = try #require(try daemon.json("status").first?["history"]?["last"]?.stringValue)
        #expect(try daemon.ctl("replay", "--wait", token).exitCode == 0)
        let history = try daemon.json("history")
        #expect(history.map { $0["stack"] } == ["legacy", "model", "legacy"])
        #expect(history.map { $0["changes"]?[0]?["kind"] } == ["insert", "update", "update"])
        #expect(history.map { $0["changes"]?[0]?["properties"] } == [[], ["pages"], ["title"]])
        #expect(history.first?["author"] == "story")

        // Stop; start again; the state is the same.
        let owners = try daemon.json("owners")
        let books = try daemon.json("fetch", "Book")
        #expect(daemon.stop() == 0)
        let again = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try again.json("owners") == owners)
        #expect(try again.json("fetch", "Book") == books)
        #expect(try again.json("fetch", "Book", "--stack", "model") == books)
        #expect(books.first?[0]?["values"]?["title"] == "Dune Messiah")
        #expect(books.first?[0]?["version"] == 3)
        #expect(again.stop() == 0)

        #expect(try Programs.ctl("verify", sample.path).output == "0 violations\n")
        if let check = try independentCheck(sample.path) { #expect(check == "0 violations\n") }
    }
}
