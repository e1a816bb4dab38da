import Foundation
import TestKit
import Testing

/// The rules of ownership, handover and replay as a model, every order of whose steps Spin goes through.
///
/// The model shows that the rules suffice, and that each is needed; that the code keeps them is for the other tests.
@Suite struct ModelCheckingTests {
    private static let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("ownership.pml").path

    /// Checks the model with one rule taken away, or none.
    /// - Returns: how many errors Spin found.
    private func errors(without rule: String?) throws -> Int {
        let folder = try TemporaryFolder()
        let spin = try #require(Programs.find("spin"), "`make test` installs it")
        let compiler = try #require(Programs.find("clang") ?? Programs.find("cc"))
        let definition = rule.map { ["-D\($0)"] } ?? []
        let shell = try #require(Programs.find("sh"))
        let script = """
            cd \(folder.path) && \(spin) \(definition.joined()) -a \(Self.model) >&2 \
            && \(compiler) -O1 -w -DNFAIR=3 -o pan pan.c >&2 && ./pan -a -f -m1000000
            """
        let result = try Programs.run(shell, ["-c", script])
        let found = result.output.firstMatch(of: #/errors: (\d+)/#).flatMap { Int($0.1) }
        return try #require(found, "\(result.output) \(result.errors)")
    }

    @Test func theRulesSuffice() throws {
        #expect(try errors(without: nil) == 0)
    }

    @Test(arguments: [
        "NO_OWNER_CHECK", "NO_EPOCH_CHECK", "NO_FREEZE_CHECK", "NO_VERSION_TEST", "NO_REPLAY", "NO_EXPIRY", "NO_THAW",
    ]) func eachRuleIsNeeded(_ rule: String) throws {
        #expect(try errors(without: rule) > 0)
    }
}
