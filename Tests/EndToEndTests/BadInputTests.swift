import Foundation
import StoreFormat
import TestKit
import Testing

/// Every command with what it cannot take: it ends with the documented code, and with one sentence that names the thing and
/// one that gives the way out.
@Suite struct BadInputTests {
    /// The names of the commands, as the help lists them: those on a store, and those on the daemon.
    private func names() throws -> (store: Set<String>, daemon: Set<String>) {
        let sections = try Programs.ctl("help").output.components(separatedBy: "on the running daemon:")
        func names(_ text: String) -> Set<String> {
            Set(
                text.split(separator: "\n").filter { $0.hasPrefix("  ") && $0.dropFirst(2).first?.isLetter == true }
                    .compactMap { $0.split(separator: " ").first.map(String.init) })
        }
        return (names(sections[0]), names(sections[1]))
    }

    /// One line: program, code, what is wrong, and a way out.
    private func expectFailure(
        _ result: Programs.Result, _ exitCode: Int32, _ code: String, naming thing: String = "", _ what: String
    ) {
        #expect(result.exitCode == exitCode, "\(what): \(result.errors)")
        #expect(result.errors.hasPrefix("coexistctl: \(code): "), "\(what): \(result.errors)")
        #expect(result.errors.contains(thing), "\(what) names \(thing): \(result.errors)")
        #expect(
            result.errors.filter { $0 == "\n" }.count == 1 && result.errors.hasSuffix("\n"), "\(what): \(result.errors)"
        )
        let sentences = result.errors.dropLast().matches(of: /[.?] [A-Z`]/).count
        #expect(sentences >= 1, "\(what) gives no way out: \(result.errors)")
        #expect(result.output.isEmpty, "\(what): \(result.output)")
    }

    // MARK: Stores

    /// Each command on a store, with it in the place of `$`. A backup and a model are stores too.
    private static let onStores: [[String]] = [
        ["inspect", "$"], ["dump", "$"], ["verify", "$"], ["hashes", "$"], ["release", "$"], ["audit", "$"],
        ["thaw", "$"], ["adopt", "$"],
        ["thaw", "$", "Book"], ["backup", "$", "out"], ["restore", "$", "out"], ["diff", "$", "$"],
        ["diff", "good", "$"],
        ["migrate", "$", "--to", "good"], ["migrate", "good", "--to", "$"], ["create", "out", "--model", "$"],
        ["inspect", "good", "--model", "$"], ["dump", "good", "--model", "$"], ["verify", "good", "--model", "$"],
        ["hashes", "good", "--model", "$"],
    ]

    enum Bad: CaseIterable {
        case missing, folder, empty, text, truncated, unreadable

        var code: String {
            switch self {
            case .missing: "NotFound"
            case .folder, .text: "NotADatabase"
            case .empty: "Empty"
            case .truncated: "Damaged"
            case .unreadable: "AccessDenied"
            }
        }
    }

    @Test(arguments: Bad.allCases)
    func whatIsNoStoreIsNamedByEveryCommand(bad: Bad) throws {
        let sample = try SampleStore()
        let path = sample.folder.file("bad.sqlite")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: sample.path))
        switch bad {
        case .missing: break
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .empty: try Data().write(to: URL(fileURLWithPath: path))
        case .text: try Data("Once upon a time\n".utf8).write(to: URL(fileURLWithPath: path))
        case .truncated: try bytes.prefix(30_000).write(to: URL(fileURLWithPath: path))
        case .unreadable:
            guard Programs.canBeNobody else { return }
            try bytes.write(to: URL(fileURLWithPath: path))
            chmod(path, 0o600)
            chmod(sample.path, 0o666)
            chmod(sample.folder.path, 0o777)
        }
        // What is left of a damaged store can be salvaged.
        let commands = Self.onStores + (bad == .truncated ? [] : [["salvage", "$", "out"]])
        for words in commands {
            let arguments = words.map { word in
                switch word {
                case "$": path
                case "good": sample.path
                case "out": sample.folder.file("out.sqlite")
                default: word
                }
            }
            let result =
                bad == .unreadable
                ? try Programs.runAsNobody(Programs.coexistctl, arguments)
                : try Programs.run(Programs.coexistctl, arguments)
            expectFailure(result, bad == .unreadable ? 5 : 4, bad.code, naming: "bad.sqlite", "\(bad) \(words)")
            #expect(!FileManager.default.fileExists(atPath: sample.folder.file("out.sqlite")), "\(words)")
        }
        #expect(Set(commands.map { $0[0] }).union(["doctor", "salvage"]) == (try names()).store)
    }

    // MARK: No daemon

    /// Each command on the daemon, as it would run.
    private static let onDaemons: [[String]] = [
        ["status"], ["owners"], ["entities"], ["metrics"], ["caches"], ["fetch", "Book"], ["get", "Book/1"],
        ["insert", "Book", "title=a"], ["update", "Book/1", "title=a"], ["delete", "Book/1"], ["history"],
        ["history", "prune"], ["replay"], ["consumers"], ["handover", "Book", "--to", "model"], ["handovers"],
        ["freeze", "Book"], ["thaw", "Book"], ["compare", "Book"], ["invalidate"], ["checkpoint"], ["backup", "out"],
        ["verify"], ["reload"], ["stop"],
    ]

    @Test func aDaemonThatIsNotThereIsSaidByEveryCommand() throws {
        let folder = try TemporaryFolder()
        let socket = folder.file("none.sock")
        #expect(Set(Self.onDaemons.map { $0[0] }) == (try names()).daemon)
        for words in Self.onDaemons {
            let result = try Programs.run(Programs.coexistctl, words, environment: ["COEXIST_SOCKET": socket])
            expectFailure(result, 3, "Unreachable", naming: socket, "\(words)")
        }
        let empty = try Programs.run(Programs.coexistctl, ["status"], environment: ["COEXIST_SOCKET": ""])
        expectFailure(empty, 2, "Usage", naming: "COEXIST_SOCKET", "an empty socket")
    }

    // MARK: Usage

    @Test func anUnknownOptionAndTooManyOperandsAreWrongUsageOfEveryCommand() throws {
        let names = try names()
        for name in names.store.union(names.daemon) {
            expectFailure(
                try Programs.ctl(name, "--nonsense"), 2, "Usage", naming: "--nonsense", "\(name) --nonsense")
        }
        // These take any number of objects or entities.
        let many: Set = ["get", "insert", "update", "delete", "handover"]
        for name in names.store.union(names.daemon).subtracting(many) {
            let result = try Programs.ctl(name, "a", "b", "c", "surplus")
            expectFailure(result, 2, "Usage", naming: "is more than", "\(name) with four operands")
        }
        for words in [[], ["nonsense"], [""]] {
            #expect(try Programs.run(Programs.coexistctl, words).exitCode == 2, "\(words)")
        }
    }

    /// What is wrong inside of a call that is well formed.
    private static let calls: [(words: String, exitCode: Int32, code: String, thing: String)] = [
        ("fetch Boook", 1, "UnknownEntity", "Boook. Did you mean Book?"),
        ("fetch Book --where pages>", 1, "BadPredicate", "`pages>`, position 6"),
        ("fetch Book --where nothing==1", 1, "UnknownKey", "Book has no property nothing"),
        ("fetch Book --where title==3", 1, "TypeMismatch", "title is a text"),
        ("fetch Book --sort nothing", 1, "UnknownKey", "nothing"),
        ("fetch Book --sort title:up", 1, "UnknownKey", "title:up"),
        ("fetch Book --limit x", 2, "Usage", "--limit takes a whole number from 0 to 9223372036854775807, not \"x\""),
        ("fetch Book --limit -1", 2, "Usage", "not \"-1\""),
        ("fetch Book --offset 1.5", 2, "Usage", "--offset"),
        ("fetch Book --offset=", 2, "Usage", "not \"\""),
        ("fetch Book --limit 99999999999999999999", 2, "Usage", "99999999999999999999"),
        ("fetch Book --stack other", 2, "Usage", "\"other\""),
        ("get Book", 1, "UnknownObject", "Book names no object"), ("get Book/0", 1, "UnknownObject", "Book/0"),
        ("get Book/x", 1, "UnknownObject", "Book/x"), ("get Book/99", 1, "UnknownObject", "Book/99"),
        ("get Boook/1", 1, "UnknownEntity", "Boook"),
        ("get x-coredata://other/Book/p1", 1, "OtherStore", "the store other"),
        ("insert Boook a=1", 1, "UnknownEntity", "Boook"), ("insert Book a=1", 1, "UnknownKey", "a. It has"),
        ("insert Book title", 2, "Usage", "title is no key=value"), ("insert Book =x", 2, "Usage", "=x"),
        ("insert Book title=1 title=2", 2, "Usage", "title is given twice"),
        ("insert Book pages=x", 1, "TypeMismatch", "Book.pages takes an integer, not \"x\""),
        ("insert Book pages:={", 2, "Usage", "the value of pages is no JSON"),
        ("insert Book pages:=[1]", 1, "TypeMismatch", "[1]"),
        ("insert Book pages=40000", 1, "TypeMismatch", "40000"),
        ("insert Book shelf=Shelf/99", 1, "UnknownObject", "Shelf/99"),
        ("insert Book shelf=Tag/1", 1, "TypeMismatch", "Book.shelf leads to Shelf"),
        ("insert Book cover:=@nowhere", 2, "FileUnreadable", "'nowhere', the value of cover"),
        ("insert Person name=x", 1, "ValidationFailed", "Person is abstract. Insert one of Author, Member"),
        ("insert Tag", 1, "ValidationFailed", "Tag.name has no value"),
        ("update Book/1", 2, "Usage", "missing behind Book/1"),
        ("update Book/99 title=a", 1, "UnknownObject", "Book/99"),
        ("update Book/1 title=a --expect x", 2, "Usage", "--expect"),
        ("update Book/1 title=a --expect 7", 1, "VersionConflict", "its version is 1, and 7 was expected"),
        ("delete Book/99", 1, "UnknownObject", "Book/99"), ("delete", 2, "Usage", "nothing is named"),
        ("history --after x", 1, "Refused", "x is no history token"),
        ("history --after a:1:1", 1, "OtherStore", "the store a"),
        ("history --entity Boook", 1, "UnknownEntity", "Boook"),
        ("history pruen", 2, "Usage", "pruen"),
        ("history prune --before x", 2, "Usage", "a history token or a date, not \"x\""),
        ("replay --stack x", 2, "Usage", "\"x\""), ("replay --wait x", 1, "Refused", "x is no history token"),
        ("consumers add", 2, "Usage", "`consumers add` lacks something"), ("consumers none", 2, "Usage", "none"),
        ("consumers add ä/b", 1, "Refused", "ä/b"), ("consumers remove none", 1, "UnknownObject", "none"),
        ("consumers ack none x", 1, "Refused", "x is no history token"), ("consumers --from x", 2, "Usage", "--from"),
        ("handover Boook --to model", 1, "UnknownEntity", "Boook"), ("handover Book", 2, "Usage", "--to"),
        ("handover Book --to x", 2, "Usage", "\"x\""), ("handover Book --to legacy", 1, "Refused", "Book is owned"),
        ("handover Book --back", 1, "Refused", "Book has no previous owner"),
        ("handovers Boook", 1, "UnknownEntity", "Boook"), ("freeze Boook", 1, "UnknownEntity", "Boook"),
        ("compare Boook", 1, "UnknownEntity", "Boook"), ("compare Book --sample x", 2, "Usage", "--sample"),
        ("invalidate Boook", 1, "UnknownEntity", "Boook"),
        ("backup /nowhere/copy", 4, "NotFound", "there is no folder /nowhere"),
    ]

    @Test func whatIsWrongInACallIsNamed() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for object in [["Shelf", "label=A"], ["Tag", "name=x"], ["Book", "title=a"]] {
            #expect(try daemon.ctl("insert", object[0], object[1]).exitCode == 0)
        }
        for call in Self.calls {
            let result = try Programs.run(
                Programs.coexistctl, call.words.split(separator: " ").map(String.init),
                environment: ["COEXIST_SOCKET": daemon.socket])
            expectFailure(result, call.exitCode, call.code, naming: call.thing, call.words)
        }
        let refused = try daemon.ctl("backup", sample.path)
        expectFailure(refused, 1, "AlreadyExists", naming: sample.path, "backup onto the store")
        // None of it wrote anything.
        #expect(try daemon.json("history").count == 3)
        #expect(try daemon.ctl("verify").output == "0 violations\n")
    }

    @Test func anOwnershipRefusalNamesEveryObjectItsOwnerAndTheWayOut() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        for i in 1...12 { #expect(try daemon.ctl("insert", "Book", "title=\(i)").exitCode == 0) }
        let objects = (1...12).map { "Book/\($0)" }
        let refused = try Programs.run(
            Programs.coexistctl, ["delete"] + objects + ["--stack", "model"],
            environment: ["COEXIST_SOCKET": daemon.socket])
        #expect(refused.exitCode == 1)
        #expect(
            refused.errors
                == "coexistctl: OwnershipViolation: the model stack may not write \(objects.prefix(10).joined(separator: ", ")), "
                + "and 2 more. Book is owned by the legacy stack (epoch 1). Write through the legacy stack "
                + "(coexistctl: `--stack legacy`), or hand it over: `coexistctl handover Book --to model`.\n")
        let reply = try daemon.json("delete", "Book/1", "Book/2", "--stack", "model").first?["error"]
        #expect(reply?["details"]?["objects"]?.arrayValue?.map { $0["object"]?.stringValue } == ["Book/1", "Book/2"])
        #expect(
            reply?["details"]?["objects"]?.arrayValue?.allSatisfy { $0["owner"] == "legacy" && $0["epoch"] == 1 }
                == true)
    }
}
