import Foundation
import FuzzTargets
import TestKit
import Testing

/// Reads every seed, every input that ever ended a reader badly, and changed copies of them: each has to be a value or an
/// error of the reader's own type.
///
/// In a process of its own, which the system ends if it takes more than its share of memory or time.
@Suite struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Corpus").path

    /// How many changed copies are read in all; a target with many seeds takes fewer of each.
    private static let mutations = 1_500

    @Test(arguments: FuzzTarget.all.map(\.name))
    func everyInputIsAValueOrATypedError(target: String) throws {
        let inputs = try FileManager.default.contentsOfDirectory(atPath: "\(Self.folder)/\(target)")
        // Those take long.
        let slow = ["model-cache": 20, "salvage": 100, "store": 250]
        let count = slow[target] ?? Self.mutations / max(1, inputs.count)
        let result = try Programs.run(
            Programs.folder + "/coexist-fuzz", ["check", target, "\(count)", "\(Self.folder)/\(target)"],
            environment: ["COEXIST_FUZZ_ANNOUNCE": "1"])
        #expect(
            result.exitCode == 0,
            "ended with \(result.exitCode) at \(result.lines.last ?? "the start"): \(result.errors.suffix(3_000))")
    }

    @Test func everyTargetHasSeedsAndEverySeedATarget() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
        #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    }

    @Test func changedCopiesAreTheSameOnEveryRun() {
        let seed = Data("a seed that is changed".utf8)
        let first = Array(Mutations(of: seed, others: [seed], count: 50))
        #expect(first == Array(Mutations(of: seed, others: [seed], count: 50)))
        #expect(first.count == 50)
        #expect(Set(first).count > 40)
    }
}
