import TestKit
import Testing
import Varlink

/// An update that changes nothing is no transaction, as in Core Data: nothing is said to be saved, by whomever.
@Suite struct UnchangedTests {
    @Test(arguments: ["legacy", "model"])
    func anUpdateToWhatIsThereSavesNothing(stack: String) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=a").output.contains("saved as "))
        let before = try daemon.json("history").count
        let result = try daemon.ctl("update", "Tag/1", "name=a", "--stack", stack)
        #expect(result.exitCode == 0)
        #expect(result.output.contains("nothing changed"))
        #expect(!result.output.contains("saved as"))
        let reply = try daemon.client().call(
            "org.coexistd.Control.Update", ["object": "Tag/1", "values": ["name": "a"], "stack": .string(stack)])
        #expect(reply["token"] == .null)
        #expect(reply["object"]?["version"] == 1)
        #expect(try daemon.json("history").count == before)
    }
}
