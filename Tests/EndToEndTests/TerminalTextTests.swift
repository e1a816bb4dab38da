import Foundation
import StoreFormat
import TestKit
import Testing

/// What a store holds cannot pass for what a command says.
@Suite struct TerminalTextTests {
    private static let forged = "x\n0 violations\r\u{1B}[2J\u{9B}1m\u{202E}"
    private static let shown = #"x\n0 violations\r\u{1B}[2J\u{9B}1m\u{202E}"#

    @Test func valuesAuthorsAndMessagesStayOnTheirLines() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Tag", "name=\(Self.forged)", "--author", Self.forged).exitCode == 0)
        let refused = try daemon.ctl("insert", "Tag", "name=\(Self.forged)")
        #expect(refused.exitCode == 1)
        for text in [
            try daemon.ctl("fetch", "Tag").output, try daemon.ctl("get", "Tag/1").output,
            try daemon.ctl("history").output, refused.errors, try daemon.ctl("get", Self.forged).errors,
            try daemon.ctl(Self.forged).errors,
        ] {
            #expect(text.contains(Self.shown), "\(text.debugDescription)")
            let bad = text.unicodeScalars.filter { $0.properties.generalCategory == .control && $0 != "\n" }
            #expect(bad.isEmpty && !text.unicodeScalars.contains("\u{202E}"), "\(text.debugDescription)")
            #expect(!text.split(separator: "\n").contains { $0.hasPrefix("0 violations") })
        }
        // For a script it is what it is.
        #expect(try daemon.json("get", "Tag/1").first?[0]?["values"]?["name"]?.stringValue == Self.forged)
    }

    @Test func theDaemonsLogKeepsItsLinesWhateverAStoreIsCalled() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("x\nerror: forged\u{1B}[2J.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
        let daemon = try RunningDaemon(store: path, folder: folder)
        #expect(daemon.stop() == 0)
        let lines = daemon.messages.split(separator: "\n")
        #expect(lines.contains { $0.contains(#"x\nerror: forged\u{1B}[2J.sqlite"#) }, "\(daemon.messages)")
        #expect(!lines.contains { $0.hasPrefix("error:") } && !daemon.messages.contains("\u{1B}"))
    }

    @Test func textThatIsOursKeepsItsLines() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        let metrics = try daemon.ctl("metrics")
        #expect(metrics.lines.count > 20 && metrics.lines.last == "# EOF" && !metrics.output.contains("\\n"))
        let help = try Programs.ctl("help")
        #expect(help.lines.contains("on the running daemon:") && !help.output.contains("\\n"))
        #expect(try !Programs.ctl("help", "dump").output.contains("\\n"))
        #expect(try !Programs.run(Programs.coexistd, ["--help"]).output.contains("\\n"))
    }
}
