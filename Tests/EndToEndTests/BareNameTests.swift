import Foundation
import TestKit
import Testing
import Varlink

/// A store that is named without a folder lies in the working directory.
@Suite struct BareNameTests {
    private let sample: SampleStore

    init() throws {
        sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        // Over 128 KiB, so that it goes to a file beside the store.
        let cover = sample.folder.file("cover")
        try Data(repeating: 7, count: 200_000).write(to: URL(fileURLWithPath: cover))
        #expect(try daemon.ctl("insert", "Book", "title=Emma", "cover:=@\(cover)").exitCode == 0)
        #expect(daemon.stop() == 0)
    }

    private func run(_ arguments: String) throws -> Programs.Result {
        let script = "cd '\(sample.folder.path)' && exec '\(Programs.coexistctl)' \(arguments)"
        return try Programs.run("/bin/sh", ["-c", script])
    }

    @Test func everyCommandFindsItThere() throws {
        for command in ["inspect", "dump", "verify", "hashes", "audit", "thaw"] {
            let bare = try run("\(command) Library.sqlite")
            #expect(bare.exitCode == 0, "\(command): \(bare.errors)")
            #expect(
                bare.output == (try run("\(command) ./Library.sqlite")).output.replacing("./Library", with: "Library"))
        }
        for command in [
            "backup Library.sqlite Copy.sqlite", "salvage Library.sqlite Saved.sqlite",
            "restore Copy.sqlite Restored.sqlite", "create New.sqlite --model Library.sqlite",
            "migrate New.sqlite --to Library.sqlite", "verify Restored.sqlite --repair", "release Library.sqlite",
            "verify Copy.sqlite", "verify Saved.sqlite", "verify Library.sqlite",
        ] {
            let result = try run(command)
            #expect(result.exitCode == 0, "\(command): \(result.output) \(result.errors)")
        }
    }

    @Test func aDoctorTellsOfItsFolder() throws {
        let report = try JSON(parsing: run("doctor Library.sqlite --json").output)
        let other = try JSON(parsing: run("doctor ./Library.sqlite --json").output)
        #expect(report["store"]?["writable"] == true)
        for key in ["folder", "fileSystem"] {
            #expect(report["store"]?[key] == other["store"]?[key])
            #expect(report["store"]?[key]?.isNull == false, "\(key)")
        }
        #expect(report["store"]?["freeBytes"] != nil)
    }
}
