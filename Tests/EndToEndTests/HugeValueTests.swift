import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// Values of absurd length in a file: what a store has beside its objects is refused before it is in memory, and a long value
/// of an object is dumped as it is.
@Suite struct HugeValueTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Values.sqlite")
        try StoreCreator.create(path, model: ValueCases.model)
    }

    /// 80 MB of zeros, which SQLite does not write as long as nobody reads them.
    private static let zeros = "zeroblob(80000000)"

    @Test(arguments: [
        ("UPDATE Z_METADATA SET Z_PLIST = \(zeros)", "MetadataUnreadable"),
        ("UPDATE Z_METADATA SET Z_UUID = CAST(\(zeros) AS TEXT)", "MetadataUnreadable"),
        ("UPDATE Z_MODELCACHE SET Z_CONTENT = \(zeros)", "ModelUnreadable"),
        ("UPDATE Z_PRIMARYKEY SET Z_NAME = CAST(\(zeros) AS TEXT)", "Damaged"),
    ])
    func structureIsRefused(sql: String, code: String) throws {
        _ = try Programs.sqlite3(path, sql)
        for command in ["inspect", "verify", "dump", "hashes"] {
            let result = try Programs.ctl(command, path)
            #expect(result.exitCode == 4, "\(command): \(result.errors)")
            #expect(result.errors.contains(code) && result.errors.contains("64 MiB"), "\(command): \(result.errors)")
        }
    }

    /// Longer than the pieces that they are written in, and of no round length.
    @Test func longValuesAreDumpedWhole() throws {
        let count = 2_000_003
        let start = "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Sample'"
        _ = try Programs.sqlite3(
            path,
            """
            INSERT INTO ZSAMPLE (Z_PK, Z_ENT, Z_OPT, ZBYTES, ZTEXT)
            VALUES (1, (\(start)), 1, zeroblob(\(count)), replace(printf('%.\(count)c', 'x'), 'xxx', 'é"' || char(10)))
            """)
        let lines = try ["legacy", "model"].map { try Programs.ctl("dump", path, "--stack", $0).output }
        #expect(lines[0] == lines[1])
        let values = try #require(try JSON(parsing: lines[0].trimmingCharacters(in: .newlines))["values"])
        #expect(values["bytes"]?.stringValue == Data(count: count).base64EncodedString())
        let text = String(repeating: "é\"\n", count: count / 3) + String(repeating: "x", count: count % 3)
        #expect(values["text"]?.stringValue == text)
    }
}
