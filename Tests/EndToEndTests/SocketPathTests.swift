import Foundation
import TestKit
import Testing

/// The daemon's socket as a path: relative ones, and ones that are too long.
@Suite struct SocketPathTests {
    @Test(arguments: ["run/c.sock", "./run/c.sock", "run/../run/c.sock"])
    func aRelativePathIsLookedForFromTheWorkingDirectoryOn(path: String) throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let run = sample.folder.file("run")
        try FileManager.default.createDirectory(atPath: run, withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: run + "/c.sock", withDestinationPath: daemon.socket)
        let script = "cd '\(sample.folder.path)' && exec '\(Programs.coexistctl)' status --socket '\(path)'"
        let result = try Programs.run("/bin/sh", ["-c", script])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(result.output.contains("running"))
    }

    @Test func aPathThatIsTooLongIsRefusedWithTheLimit() throws {
        let sample = try SampleStore()
        let path = "/tmp/" + String(repeating: "x", count: 110)
        for result in [
            try Programs.ctl("status", "--socket", path),
            try Programs.run(Programs.coexistd, ["--store", sample.path, "--socket", path]),
        ] {
            #expect(result.exitCode == 2)
            #expect(result.errors.contains("BadSocket: "))
            #expect(result.errors.contains("115 bytes, and Linux takes at most 107"))
        }
    }
}
