import Foundation
import TestKit
import Testing
import Varlink

/// Every real store, read by the real program and compared with an independent reader.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.message)))
struct CorpusTests {
    /// Stores that must be refused, with the error that says why.
    private static let refused = [
        "08_plaso_kik": "ModelMissing", "10_plaso_NotesV7": "MetadataUnreadable",
        "34_MagicalRecord_Recipes": "ModelMissing", "44_mvt_DataUsage": "ModelUnreadable",
    ]

    private static let readable = Corpus.names.filter { refused[$0] == nil }
    private static let refusedHere = Corpus.names.filter { refused[$0] != nil }

    /// Both stacks print what the independent reader does, and its model has the store's hashes; nothing is touched.
    @Test(arguments: readable)
    func everyReaderAgrees(name: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(name, to: folder)
        let before = try FileImage.of(folder.path)
        let legacy = try Programs.ctl("dump", store, "--stack", "legacy")
        let model = try Programs.ctl("dump", store, "--stack", "model")
        #expect(legacy.exitCode == 0, "\(legacy.errors)")
        #expect(model.exitCode == 0, "\(model.errors)")
        #expect(legacy.output == model.output)
        let inspected = try Programs.ctl("inspect", store, "--json")
        #expect(inspected.exitCode == 0, "\(inspected.errors)")
        #expect(try JSON(parsing: inspected.output)["model"]?["agrees"]?.boolValue == true)
        #expect(try Programs.ctl("hashes", store).exitCode == 0)
        #expect(try FileImage.of(folder.path) == before)

        guard let tools = Corpus.tools, let python = Programs.find("python3") else { return }
        let output = try TemporaryFolder()
        try Data(legacy.output.utf8).write(to: URL(fileURLWithPath: output.file("dump")))
        let oracle = try Programs.run(python, [tools + "/dump_store.py", store, "--compare", output.file("dump")])
        #expect(oracle.exitCode == 0, "\(oracle.output) \(oracle.errors)")
    }

    @Test(arguments: refusedHere)
    func aStoreThatCannotBeReadIsRefusedAndUntouched(name: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(name, to: folder)
        let before = try FileImage.of(folder.path)
        for command in [["inspect"], ["dump", "--stack", "model"], ["dump", "--stack", "legacy"], ["verify"]] {
            let result = try Programs.run(Programs.coexistctl, [command[0], store, "--json"] + command.dropFirst())
            #expect(result.exitCode == 4)
            let error = try JSON(parsing: result.output)["error"]
            #expect(error?["code"]?.stringValue == Self.refused[name])
            #expect(error?["way"]?.stringValue?.isEmpty == false)
        }
        let daemon = try Programs.run(Programs.coexistd, ["--store", store, "--socket", folder.file("s")])
        #expect(daemon.exitCode == 4, "\(daemon.errors)")
        #expect(try FileImage.of(folder.path) == before)
    }

    /// What adoption and a release leave is what was there: the dump is the same, and so is the schema.
    @Test(arguments: readable)
    func adoptionWritesAndReleaseLeaveAStoreThatReadsTheSame(name: String) throws {
        let folder = try TemporaryFolder()
        let store = try Corpus.copy(name, to: folder)
        let before = try Programs.ctl("dump", store).output
        let schema = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY 1, 2; SELECT * FROM Z_PRIMARYKEY"
        let schemaBefore = try Programs.sqlite3(store, schema).output
        let found = try Programs.ctl("verify", store).output
        let daemon = try RunningDaemon(store: store, folder: folder)
        #expect(try daemon.ctl("verify").exitCode == 0, "what was there before adoption is inherited, not an error")
        #expect(try daemon.ctl("status").exitCode == 0)
        #expect(daemon.stop() == 0)
        #expect(try Programs.ctl("dump", store, "--stack", "model").output == before)
        let release = try Programs.ctl("release", store)
        #expect(release.exitCode == 0, "\(release.errors)")
        #expect(try Programs.sqlite3(store, schema).output == schemaBefore)
        #expect(try Programs.ctl("dump", store).output == before)
        #expect(try Programs.ctl("verify", store).output == found)
    }
}
