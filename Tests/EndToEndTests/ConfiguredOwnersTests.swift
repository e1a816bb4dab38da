import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// Owners in the configuration that do not fit the store: a wrong configuration, which no restart mends.
@Suite struct ConfiguredOwnersTests {
    /// What stands in `ownership`, and the place in it that the message names.
    static let wrong = [
        (#"{"entities": {"Nope": "model"}}"#, "ownership.entities.Nope"),
        (#"{"relationships": {"Book.nope": "model"}}"#, "ownership.relationships.Book.nope"),
        (#"{"relationships": {"Book.shelf": "model"}}"#, "ownership.relationships.Book.shelf"),
        (#"{"relationships": {"Book": "model"}}"#, "ownership.relationships.Book"),
    ]

    private func configuration(_ sample: SampleStore, _ more: String) throws -> String {
        let file = sample.folder.file("config.json")
        try Data("{\"store\": \"Library.sqlite\", \(more)}".utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    private func start(_ file: String, _ sample: SampleStore) throws -> Programs.Result {
        try Programs.run(Programs.coexistd, ["--config", file, "--socket", sample.folder.file("s")])
    }

    @Test(arguments: wrong)
    func theDaemonEndsAsOfAWrongConfiguration(ownership: String, place: String) throws {
        let sample = try SampleStore()
        for isAdopted in [false, true] {
            if isAdopted { #expect(try RunningDaemon(store: sample.path, folder: sample.folder).stop() == 0) }
            for tracking in ["on", "off"] {
                let file = try configuration(
                    sample, #""history": {"tracking": "\#(tracking)"}, "ownership": \#(ownership)"#)
                let result = try start(file, sample)
                #expect(result.exitCode == 2, "\(result.errors)")
                #expect(result.errors.contains("BadConfiguration: \(place): "), "\(result.errors)")
            }
        }
    }

    /// Only an adoption gives owners; of an adopted store the register counts.
    @Test(arguments: [
        (#"{"entities": {"Person": "model", "Desk": "legacy"}}"#, "ownership.entities.Person"),
        (#"{"relationships": {"Person.groups": "model"}}"#, "ownership.relationships.Person.groups"),
    ])
    func ownersThatContradictAreRefusedBeforeAdoption(ownership: String, place: String) throws {
        let sample = try SampleStore()
        let path = sample.folder.file("Library.sqlite")
        try FileManager.default.removeItem(atPath: path)
        try StoreCreator.create(
            path,
            model: Short.model(
                Short.entity("Desk", [], [Short.toOne("person", "Person", inverse: "desk")]),
                Short.entity("Group", [], [Short.toMany("people", "Person", inverse: "groups")]),
                Short.entity(
                    "Person", [],
                    [
                        Short.toOne("desk", "Desk", inverse: "person"),
                        Short.toMany("groups", "Group", inverse: "people"),
                    ])))
        let before = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).sorted()
        let result = try start(try configuration(sample, "\"ownership\": \(ownership)"), sample)
        #expect(result.exitCode == 2, "\(result.errors)")
        // Of two names of one unit either may be called the wrong one.
        #expect(result.errors.contains("BadConfiguration: \(place)"), "\(result.errors)")
        let after = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path).sorted()
        #expect(after.filter { $0 != "config.json" } == before)
    }

    @Test func aReloadRefusesAnotherDefaultOfAnAdoptedStore() throws {
        let sample = try SampleStore()
        let file = try configuration(sample, #""ownership": {"default": "legacy"}"#)
        let daemon = try RunningDaemon(["--config", file], folder: sample.folder)
        _ = try configuration(sample, #""ownership": {"default": "model"}"#)
        let refused = try daemon.ctl("reload", "--json")
        let error = try JSON(parsing: refused.output)["error"]
        #expect(refused.exitCode == 2 && error?["code"] == "BadConfiguration")
        #expect(error?["message"]?.stringValue?.contains("ownership.default") == true)
        _ = try configuration(sample, #""ownership": {"entities": {"Nope": "model"}}"#)
        #expect(try daemon.ctl("reload").exitCode == 2)
        _ = try configuration(sample, #""guard": "off""#)
        #expect(try daemon.json("reload").first?["changed"] == ["guard"])
    }

    @Test func aUserThatIsNotThereIsNamed() throws {
        let sample = try SampleStore()
        for (role, name) in [("observe", "@no-such-group"), ("write", "no-such-user"), ("admin", "@no-such-group")] {
            let file = try configuration(sample, #""access": {"\#(role)": ["root", "@0", "4294967", "\#(name)"]}"#)
            let result = try Programs.run(Programs.coexistd, ["--check-config", file])
            #expect(result.exitCode == 2)
            #expect(result.errors.contains("access.\(role)") && result.errors.contains("no-such-"), "\(result.errors)")
        }
        let file = try configuration(sample, #""access": {"observe": ["root", "@root", "4294967"]}"#)
        #expect(try Programs.run(Programs.coexistd, ["--check-config", file]).exitCode == 0)
    }
}
