import Foundation
import TestKit
import Testing
import Varlink

/// Eight processes, four of each stack, write 25 entities through embedded stacks while entities change hands. The
/// program checks all that must hold: no update lost or made up, history for each save and no other, the author's own
/// stack at the unit's epoch, no Busy before its time.
@Suite(.serialized)
struct SoakTests {
    private func soak(_ arguments: [String]) throws -> (exitCode: Int32, report: JSON) {
        let result = try Programs.run(Programs.folder + "/coexist-soak", ["--json", "--seconds", "60"] + arguments)
        #expect(result.errors == "")
        return (result.exitCode, try JSON(parsing: result.output))
    }

    private func violations(_ report: JSON) -> [String] {
        (report["violations"]?.arrayValue ?? []).compactMap(\.stringValue)
    }

    @Test("writers of both stacks get their turns while owners move, and nothing is lost")
    func manyProcesses() throws {
        let (exitCode, report) = try soak(["--calm", "--turns", "40"])
        #expect(violations(report) == [])
        #expect(exitCode == 0)
        let workers = report["workers"]?.arrayValue ?? []
        #expect(workers.compactMap { $0["stack"]?.stringValue } == (0..<8).map { $0 % 2 == 0 ? "legacy" : "model" })
        #expect(workers.allSatisfy { ($0["tried"]?.intValue ?? 0) > 0 })
        #expect(report["refused"]?["Busy"] == nil)
        #expect((report["handovers"]?.intValue ?? 0) > 0)
        #expect((report["saved"]?.intValue ?? 0) > 0)
        #expect(report["entries"] == report["saved"])
        // Without a queue one worker has ten times the turns of another, or more.
        #expect((report["spread"]?.doubleValue ?? .infinity) < 4)
    }

    @Test("a reader that stays in its snapshot keeps nobody from writing")
    func holdingReader() throws {
        let (exitCode, report) = try soak(["--calm", "--reader", "--turns", "20"])
        #expect(violations(report) == [])
        #expect(exitCode == 0)
        #expect(report["refused"]?["Busy"] == nil)
        #expect((report["largestLog"]?.intValue ?? 0) > 256 << 10)
        let warnings = (report["warnings"]?.arrayValue ?? []).compactMap(\.stringValue)
        #expect(warnings.contains { $0.contains("until a reader ends its transaction") }, "\(warnings)")
    }

    @Test("what was acknowledged stays, and nothing else comes, where writers are killed and history is purged")
    func disturbed() throws {
        let (exitCode, report) = try soak(["--turns", "25"])
        #expect(violations(report) == [])
        #expect(exitCode == 0)
        #expect((report["kills"]?.intValue ?? 0) > 0)
        #expect((report["saved"]?.intValue ?? 0) > 0)
    }

    @Test(
        "a worker that does something wrong is found out",
        arguments: [
            ("lost-update", "had succeeded, and its entry is not there"),
            ("double-update", "entries tell of an addition"),
            ("wrong-author", "and its author is worker-0"), ("unowned", "entries tell of an addition"),
        ])
    func fault(_ fault: String, _ finding: String) throws {
        let folder = try TemporaryFolder()
        let (exitCode, report) = try soak(["--calm", "--turns", "12", "--fault", fault, "--folder", folder.path])
        #expect(exitCode == 1)
        #expect(violations(report).contains { $0.contains(finding) }, "\(violations(report))")
    }
}
