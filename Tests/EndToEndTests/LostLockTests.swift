import Foundation
import TestKit
import Testing

/// Commands beside a daemon whose lock file somebody removed.
@Suite struct LostLockTests {
    @Test func aDaemonThatCannotTakeItAgainYetIsNoticed() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("freeze", "Tag").exitCode == 0)
        daemon.signal(SIGSTOP)
        try FileManager.default.removeItem(atPath: sample.path + "-coexist")
        for arguments in [["thaw", sample.path], ["release", sample.path]] {
            let result = try Programs.run(Programs.coexistctl, arguments)
            #expect(result.exitCode != 0 && result.errors.contains("Busy"), "\(arguments): \(result.errors)")
        }
        let second = try Programs.run(
            Programs.coexistd, ["--store", sample.path, "--socket", sample.folder.file("second.sock")])
        #expect(second.errors.contains("Busy"), "\(second.errors)")
        daemon.signal(SIGCONT)
        #expect(eventually { FileManager.default.fileExists(atPath: sample.path + "-coexist") })
        #expect(try daemon.json("status").first?["state"] == "running")
        let owners = try daemon.json("owners").first?.arrayValue ?? []
        #expect(owners.contains { $0["entity"] == "Tag" && $0["frozen"] == true })
        #expect(daemon.stop() == 0)
    }
}
