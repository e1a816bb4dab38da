import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// `key:=@FILE` on the command line.
@Suite struct FileValueTests {
    private let folder: TemporaryFolder
    private let daemon: RunningDaemon
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Values.sqlite")
        try StoreCreator.create(path, model: ValueCases.model)
        daemon = try RunningDaemon(store: path, folder: folder)
    }

    private func file(_ bytes: Data) throws -> String {
        let path = folder.file(UUID().uuidString)
        try bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test func bytesGoIntoDataAsTheyAre() throws {
        let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let inserted = try daemon.ctl("insert", "Sample", "bytes:=@\(try file(bytes))", "medium=1")
        #expect(inserted.exitCode == 0, "\(inserted.errors)")
        let archive = try #require(Data(base64Encoded: ValueCases.textArchive))
        #expect(try daemon.ctl("update", "Sample/1", "archive:=@\(try file(archive))").exitCode == 0)
        let values = try daemon.json("get", "Sample/1").first?[0]?["values"]
        #expect(values?["bytes"]?.stringValue == bytes.base64EncodedString())
        #expect(values?["archive"]?["$transformable"]?.stringValue == ValueCases.textArchive)
    }

    @Test func otherTypesTakeTheFileAsText() throws {
        #expect(
            try daemon.ctl(
                "insert", "Sample", "text:=@\(try file(Data("é\n".utf8)))", "amount:=@\(try file(Data("0.1\n".utf8)))",
                "place:=@\(try file(Data("{\"street\": \"x\"}".utf8)))"
            ).exitCode == 0)
        let values = try daemon.json("get", "Sample/1").first?[0]?["values"]
        #expect(values?["text"] == "é\n")
        #expect(values?["amount"] == "0.1")
        #expect(values?["place"]?["street"] == "x")
        let refused = try daemon.json("update", "Sample/1", "text:=@\(try file(Data([0xFF])))")
        #expect(refused.first?["error"]?["code"] == "TypeMismatch")
    }

    @Test func standardInputIsAFileToo() throws {
        let result = try Programs.run(
            Programs.coexistctl, ["insert", "Sample", "text:=@-"], environment: ["COEXIST_SOCKET": daemon.socket],
            input: "piped")
        #expect(result.exitCode == 0)
        #expect(result.output.contains("text = piped"))
    }

    @Test func aFileThatNoMessageHasRoomForIsRefusedWithTheLimit() throws {
        for count in [1_000_000, 13_000_000] {
            let result = try daemon.json("insert", "Sample", "bytes:=@\(try file(Data(count: count)))")
            #expect(result.first?["error"]?["code"] == "MessageTooLong")
            #expect(result.first?["error"]?["message"]?.stringValue?.contains("bytes") == true)
        }
        #expect(try daemon.json("fetch", "Sample", "--count").first == 0)
    }

    @Test(arguments: ["missing", "", "folder"])
    func whatCannotBeReadIsNamed(name: String) throws {
        let path = name == "folder" ? folder.path : name.isEmpty ? "" : folder.file(name)
        let result = try daemon.ctl("insert", "Sample", "bytes:=@\(path)")
        #expect(result.exitCode == 2)
        #expect(result.errors.contains("FileUnreadable") && result.errors.contains("'\(path)'"))
        #expect(result.errors.contains("bytes"))
    }
}
