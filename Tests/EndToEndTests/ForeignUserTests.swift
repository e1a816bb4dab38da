import Foundation
import TestKit
import Testing

/// A start by a user who may not write the store. Needs root, to become two others.
@Suite(.enabled(if: geteuid() == 0 && Programs.find("setpriv") != nil))
struct ForeignUserTests {
    /// Runs the daemon as a user, from a copy that everybody may run; one that starts is ended after a while.
    private func start(_ folder: TemporaryFolder, _ path: String, as user: Int) throws -> Programs.Result {
        let program = folder.file("coexistd")
        if !FileManager.default.fileExists(atPath: program) {
            try FileManager.default.copyItem(atPath: Programs.coexistd, toPath: program)
        }
        let words = [
            "8", Programs.find("setpriv") ?? "", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", program,
            "--store", path, "--socket", folder.file("\(user).sock"),
        ]
        return try Programs.run(Programs.find("timeout") ?? "", words)
    }

    @Test func aFailedStartLeavesNothingThatLocksTheOwnerOut() throws {
        let sample = try SampleStore()
        // Adopted, in WAL mode, and closed.
        #expect(try RunningDaemon(store: sample.path, folder: sample.folder).stop() == 0)
        chmod(sample.folder.path, 0o777)
        chown(sample.path, 1234, 1234)
        chmod(sample.path, 0o444)
        let before = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path)
        let refused = try start(sample.folder, sample.path, as: 4321)
        let why = "ReadOnly: \(sample.path) may not be written by user 4321"
        #expect(refused.errors.contains(why), "\(refused.errors)")
        #expect(refused.exitCode == 4)
        let after = try FileManager.default.contentsOfDirectory(atPath: sample.folder.path)
        #expect(Set(after).subtracting(before) == ["coexistd"])
        chmod(sample.path, 0o644)
        let owner = try start(sample.folder, sample.path, as: 1234)
        #expect(owner.errors.contains("serving \(sample.path)"), "\(owner.errors)")
    }

    @Test func theFileThatIsInTheWayIsNamed() throws {
        let sample = try SampleStore()
        #expect(try RunningDaemon(store: sample.path, folder: sample.folder).stop() == 0)
        chmod(sample.folder.path, 0o777)
        chown(sample.path, 1234, 1234)
        try Data().write(to: URL(fileURLWithPath: sample.path + "-shm"))
        chmod(sample.path + "-shm", 0o444)
        let refused = try start(sample.folder, sample.path, as: 1234)
        #expect(refused.errors.contains("\(sample.path)-shm beside it may not be written"), "\(refused.errors)")
    }
}
