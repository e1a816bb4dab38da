import StoreFormat
import StoreModel
import TestKit
import Testing

/// Options and predicates that mislead, if they are taken as if nothing were wrong.
@Suite struct OptionTests {
    @Test(
        arguments: [
            ["fetch", "Book", "--limit", "1", "--limit=2"], ["fetch", "Book", "--offset", "1", "--offset", "1"],
            ["fetch", "Book", "--where", "pages > 1", "--where", "pages > 2"],
            ["get", "Book/1", "--stack", "a", "--stack", "b"],
            ["update", "Book/1", "pages=1", "--expect", "1", "--expect", "2"],
            ["compare", "Book", "--sample", "1", "--sample", "2"],
            ["history", "--limit", "1", "--limit", "2"], ["status", "--socket", "a", "--socket", "b"],
            ["dump", "s.sqlite", "--model", "a.mom", "--model", "b.mom"],
        ])
    func anOptionIsGivenOnce(arguments: [String]) throws {
        let result = try Programs.run(Programs.coexistctl, arguments)
        #expect(result.exitCode == 2)
        let name = arguments.first { $0.hasPrefix("--") } ?? ""
        #expect(result.errors.hasPrefix("coexistctl: Usage: \(name) is given twice: "), "\(result.errors)")
        #expect(result.errors.hasSuffix(" Give it once.\n"))
    }

    @Test func whatMayBeGivenSeveralTimesMay() throws {
        let sample = try SampleStore()
        let dump = try Programs.ctl("dump", sample.path, "--entity", "Book", "--entity", "Tag")
        #expect(dump.exitCode == 0, "\(dump.errors)")
    }

    @Test func aNumberThatIsNotFiniteIsNamedInQuotes() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Book", "title=a", "rating=Infinity").exitCode == 0)
        #expect(try daemon.ctl("insert", "Book", "title=b", "rating=-Infinity").exitCode == 0)
        #expect(try daemon.ctl("insert", "Book", "title=c", "rating=1").exitCode == 0)
        for stack in ["legacy", "model"] {
            func titles(_ predicate: String) throws -> [String?] {
                try daemon.json("fetch", "Book", "--where", predicate, "--stack", stack, "--sort", "title").first?
                    .arrayValue?.map { $0["values"]?["title"]?.stringValue } ?? ["failed"]
            }
            #expect(try titles("rating == 'Infinity'") == ["a"])
            #expect(try titles("rating == '-Infinity'") == ["b"])
            #expect(try titles("rating < 'Infinity'") == ["b", "c"])
            for word in ["Infinity", "inf", "-Infinity"] {
                let refused = try daemon.ctl("fetch", "Book", "--where", "rating == \(word)", "--stack", stack)
                #expect(refused.exitCode == 1)
                #expect(
                    refused.errors.hasPrefix("coexistctl: BadPredicate: ")
                        && refused.errors.hasSuffix("Write it in quotes: 'Infinity' or '-Infinity'.\n"),
                    "\(refused.errors)")
            }
            for (text, code) in [("NaN", "BadPredicate"), ("'NaN'", "TypeMismatch")] {
                let refused = try daemon.ctl("fetch", "Book", "--where", "rating == \(text)", "--stack", stack)
                #expect(refused.exitCode == 1 && refused.errors.hasPrefix("coexistctl: \(code): "), "\(refused.errors)")
            }
        }
    }

    @Test func verifyByAnotherModelSaysSoInsteadOfFindings() throws {
        let sample = try SampleStore()
        var model = SampleModels.library
        for index in model.entities.indices where ["Book", "Tag"].contains(model.entities[index].name) {
            model.entities[index].versionHashModifier = "2"
        }
        model.entities.append(EntityDescription(name: "Magazine"))
        let other = sample.folder.file("other.sqlite")
        try StoreCreator.create(other, model: model)
        let result = try Programs.ctl("verify", sample.path, "--model", other)
        #expect(result.exitCode == 4 && result.output.isEmpty, "\(result.output)")
        #expect(
            result.errors.hasPrefix(
                "coexistctl: SchemaMismatch: the model is not the one that \(sample.path) was made with: different: "
                    + "Book, Tag; only in the model: Magazine; "), "\(result.errors)")
        #expect(result.errors.contains("Leave --model out, or give the store's own version of the model"))
        #expect(try Programs.ctl("verify", sample.path, "--model", sample.path).exitCode == 0)
        // A store that does not tell any more which model is its own is checked all the same.
        #expect(try Programs.sqlite3(sample.path, "DELETE FROM Z_MODELCACHE").exitCode == 0)
        let unknown = try Programs.ctl("verify", sample.path, "--model", other)
        #expect(unknown.exitCode == 1)
        #expect(unknown.errors.hasPrefix("coexistctl: warning: the model is not the one that"), "\(unknown.errors)")
        #expect(unknown.output.contains("error: catalogue-missing: Magazine"), "\(unknown.output)")
    }
}
