import Foundation
import TestKit
import Testing

/// What the daemon writes must not land in the place of what it serves.
@Suite struct DaemonPathTests {
    private let sample: SampleStore
    private let configuration: String

    init() throws {
        sample = try SampleStore()
        configuration = sample.folder.file("config.json")
    }

    private func configure(_ more: String) throws {
        try Data(#"{"store": "Library.sqlite"\#(more)}"#.utf8).write(to: URL(fileURLWithPath: configuration))
    }

    private func isRefused(_ key: String, _ location: SourceLocation = #_sourceLocation) throws {
        let store = FileManager.default.contents(atPath: sample.path)
        let text = FileManager.default.contents(atPath: configuration)
        let check = try Programs.run(Programs.coexistd, ["--check-config", configuration])
        #expect(check.exitCode == 2, sourceLocation: location)
        #expect(check.errors.contains("BadConfiguration: \(key)"), "\(check.errors)", sourceLocation: location)
        let start = try Programs.run(Programs.coexistd, ["--config", configuration])
        #expect(start.exitCode == 2, "\(start.errors)", sourceLocation: location)
        #expect(FileManager.default.contents(atPath: sample.path) == store, sourceLocation: location)
        #expect(FileManager.default.contents(atPath: configuration) == text, sourceLocation: location)
    }

    @Test(arguments: [
        "Library.sqlite", "Library.sqlite-wal", "Library.sqlite-shm", "Library.sqlite-journal",
        "Library.sqlite-coexist", "Library.sqlite-coexist-queue", "Library.sqlite-coexist-notice/metrics",
        ".Library_SUPPORT/metrics", "config.json", "../config-folder/Library.sqlite-wal", "link", "dangling",
        "second-name", "other.sqlite", "folder", "daemon.sock",
    ])
    func metricsAreNotWrittenInThePlaceOf(name: String) throws {
        let files = FileManager.default
        let folder = sample.folder
        try files.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: sample.path)
        try files.createSymbolicLink(atPath: folder.file("dangling"), withDestinationPath: sample.path + "-wal")
        try files.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        try files.copyItem(atPath: sample.path, toPath: folder.file("other.sqlite"))
        if name == "second-name" { try files.linkItem(atPath: sample.path, toPath: folder.file(name)) }
        let path = name.replacingOccurrences(
            of: "config-folder", with: URL(fileURLWithPath: folder.path).lastPathComponent)
        try configure(#", "socket": "daemon.sock", "metricsFile": "\#(path)""#)
        try isRefused("metricsFile")
    }

    @Test(arguments: ["Library.sqlite", "Library.sqlite-wal", "Library.sqlite-coexist", "config.json"])
    func theSocketIsNotMadeInThePlaceOf(name: String) throws {
        try configure(#", "socket": "\#(name)""#)
        try isRefused("socket")
    }

    @Test func metricsOfADaemonThatWasKilledAreWrittenOverAndWhatTookTheirPlaceStays() throws {
        let metrics = sample.folder.file("metrics.prom")
        try configure(#", "metricsFile": "metrics.prom""#)
        let killed = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(eventually { FileManager.default.fileExists(atPath: metrics) })
        killed.kill()
        func number() -> Int? {
            (try? FileManager.default.attributesOfItem(atPath: metrics)[.systemFileNumber]) as? Int
        }
        let old = number()
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        #expect(eventually { number() != old })
        try Data("somebody's".utf8).write(to: URL(fileURLWithPath: metrics))
        #expect(daemon.stop() == 0)
        #expect(FileManager.default.contents(atPath: metrics) == Data("somebody's".utf8))
    }

    @Test func aReloadRefusesThemTooAndGoesOn() throws {
        try configure("")
        let daemon = try RunningDaemon(["--config", configuration], folder: sample.folder)
        try configure(#", "guard": "off", "metricsFile": "Library.sqlite""#)
        let reload = try daemon.ctl("reload")
        #expect(reload.exitCode != 0)
        #expect(reload.errors.contains("is the store or what belongs to it"), "\(reload.errors)")
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
    }

    @Test(arguments: [
        "Library.sqlite-coexist-notice/copy.sqlite", "Library.sqlite-coexist-queue", "Library.sqlite-journal",
        ".Library_SUPPORT/copy.sqlite",
    ])
    func aBackupIsNotMadeWhereItWouldBeRemovedOrTakenForAPart(name: String) throws {
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        try FileManager.default.createDirectory(
            atPath: sample.folder.file(".Library_SUPPORT"), withIntermediateDirectories: true)
        let target = sample.folder.file(name)
        for arguments in [["backup", target], ["backup", sample.path, target]] {
            let result = try Programs.run(
                Programs.coexistctl, arguments + ["--json"], environment: ["COEXIST_SOCKET": daemon.socket])
            #expect(result.exitCode == 1, "\(arguments)")
            #expect(result.output.contains(#""code":"Refused""#), "\(result.output)")
            #expect(result.output.contains("a name that belongs to"), "\(result.output)")
        }
        #expect(try daemon.ctl("insert", "Tag", "name=a").exitCode == 0)
        #expect(try daemon.ctl("backup", sample.folder.file("copy.sqlite")).exitCode == 0)
    }
}
