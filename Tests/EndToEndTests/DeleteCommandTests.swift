import Foundation
import TestKit
import Testing

/// What `delete` says went, and why something did not.
@Suite struct DeleteCommandTests {
    private let sample: SampleStore
    private let daemon: RunningDaemon

    init() throws {
        sample = try SampleStore()
        daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for arguments in [
            ["Author", "name=Defoe"], ["Shelf", "label=A"], ["Tag", "name=x"], ["Tag", "name=y"],
            ["Book", "title=Moll", "author=Author/1", "tags=Tag/1,Tag/2"],
            ["Book", "title=Roxana", "author=Author/1"],
        ] {
            let made = try Programs.run(
                Programs.coexistctl, ["insert"] + arguments, environment: ["COEXIST_SOCKET": daemon.socket])
            try #require(made.exitCode == 0, "\(made.errors)")
        }
    }

    @Test(arguments: ["legacy", "model"])
    func aCascadeTellsHowManyOfEachEntityWent(stack: String) throws {
        if stack == "model" {
            #expect(try daemon.ctl("handover", "Author", "Book", "Tag", "--to", "model").exitCode == 0)
        }
        let result = try daemon.ctl("delete", "Author/1")
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(Array(result.lines.prefix(2)) == ["deleted: 1 Author, 2 Book", "let go of them: 2 Tag"])
        #expect(result.lines.last?.hasPrefix("deleted in ") == true && result.lines.count == 3)
    }

    @Test func theSameForAScript() throws {
        let reply = try daemon.json("delete", "Book/1", "Tag/1").first
        #expect(reply?["deleted"] == ["Book": 1, "Tag": 1])
        #expect(reply?["nullified"] == ["Author": 1, "Tag": 1])
        #expect(reply?["token"]?.stringValue != nil)
    }

    @Test(arguments: ["legacy", "model"])
    func aDenialNamesWhatIsHeld(stack: String) throws {
        for i in 3...13 {
            #expect(try daemon.ctl("insert", "Book", "title=\(i)", "shelf=Shelf/1").exitCode == 0)
        }
        if stack == "model" { #expect(try daemon.ctl("handover", "Shelf", "Book", "--to", "model").exitCode == 0) }
        let denied = try daemon.ctl("delete", "Shelf/1")
        #expect(denied.exitCode == 1)
        let held = (3...12).map { "Book/\($0)" }.joined(separator: ", ")
        #expect(
            denied.errors
                == "coexistctl: DeleteDenied: Shelf/1: Shelf.books denies it while it holds \(held), and 1 more. Delete what "
                + "the relationship holds first, or take it out of it.\n")
        let objects = try daemon.json("delete", "Shelf/1").first?["error"]?["details"]?["objects"]?.arrayValue
        #expect(objects?.map { $0["object"]?.stringValue } == ["Shelf/1"])
    }

    @Test func aForwardedDeleteCountsTheOtherOwnersRowsToo() throws {
        #expect(daemon.stop() == 0)
        let configuration = sample.folder.file("config.json")
        try #"{"store": "\#(sample.path)", "crossStackDeletes": "forward"}"#.write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let forwarding = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(try forwarding.ctl("handover", "Book", "--to", "model").exitCode == 0)
        #expect(try forwarding.ctl("insert", "Author", "name=Behn").exitCode == 0)
        for title in ["Oroonoko", "The Rover"] {
            #expect(try forwarding.ctl("insert", "Book", "title=\(title)", "author=Author/2").exitCode == 0)
        }
        let reply = try forwarding.json("delete", "Author/2").first
        #expect(reply?["deleted"] == ["Author": 1, "Book": 2], "\(String(describing: reply))")
        #expect(reply?["nullified"] == [:])
    }
}
