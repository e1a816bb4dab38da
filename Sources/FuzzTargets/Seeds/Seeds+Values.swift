import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit

extension Seeds {
    static func valueSeeds() throws -> [String: [Seed]] {
        let name = "0E984725-C51C-4BF4-9960-E1C80E27ABA0"
        let columns: [Seed] = [
            ("inline", Data([1, 2, 3])), ("file", Data([2]) + Data(name.utf8) + Data([0])),
            ("outside", Data([2]) + Data("../../../../../../etc/passwd".utf8) + Data([0])), ("empty", Data()),
            ("uuid", Data((0..<16).map { UInt8($0) })), ("date", bits(1e300)), ("nan", bits(.nan)),
            ("most", Data(repeating: 0xFF, count: 8)), ("least", Data([0x80, 0, 0, 0, 0, 0, 0, 0])),
            ("decimal", Data("-123456789012345678901234567890.5e99".utf8)),
        ]
        let swift: [Seed] =
            columns + [
                ("archive", try jsonArchive()), ("array.json", Data("[\"a\", \"b\"]".utf8)),
                ("structure.json", Data("{\"depth\": 1, \"open\": 2}".utf8)), ("case", Data("train".utf8)),
            ]
        return [
            "column": columns,
            "swift-values": swift,
            "change-bitmap": [
                ("none", Data()), ("some", Data([0x80, 0x01])), ("all", Data(repeating: 0xFF, count: 40)),
            ],
        ]
    }

    private static func bits(_ value: Double) -> Data {
        withUnsafeBytes(of: value.bitPattern.bigEndian) { Data($0) }
    }

    static func storeSeeds() throws -> [String: [Seed]] {
        [
            "store": [("library.sqlite", try library())],
            "salvage": [("without-schema.sqlite", try library().withoutSchema)],
            "trigger": numbered([
                "CREATE TRIGGER t AFTER INSERT ON ZBOOK FOR EACH ROW BEGIN SELECT 1; END",
                "CREATE TEMP TRIGGER IF NOT EXISTS \"a b\" BEFORE UPDATE OF [x], `y` ON 'Z' WHEN NEW.a IS NOT NULL BEGIN DELETE FROM Z; END",
                "create trigger a.b instead of delete on v begin select raise(abort, 'on'); end",
            ]),
        ]
    }

    /// A store with rows, small enough to be read many times a second.
    private static func library() throws -> Data {
        let small = try ModelReader.readSource(
            Data(
                """
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"><entity name="A">
                <attribute name="a" optional="YES" attributeType="String"/><attribute name="b" optional="YES" attributeType="Date"/>
                <relationship name="c" optional="YES" maxCount="1" destinationEntity="A" inverseName="d" inverseEntity="A"/>
                <relationship name="d" optional="YES" toMany="YES" destinationEntity="A" inverseName="c" inverseEntity="A"/>
                </entity></model>
                """.utf8), name: "small")
        let path = Workshop.path("seed.sqlite")
        try StoreCreator.create(path, model: small)
        defer { StoreBackup.remove(path) }
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute(
            """
            INSERT INTO ZA (Z_PK, Z_ENT, Z_OPT, ZC, ZB, ZA) VALUES (1, 1, 1, NULL, 1.5, 'one'), (2, 1, 1, 1, 2, 'two');
            UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1
            """)
        try connection.execute("PRAGMA journal_mode=DELETE")
        return try Data(contentsOf: URL(fileURLWithPath: path))
    }
}

extension Data {
    /// A database file whose first page has its header and nothing else.
    fileprivate var withoutSchema: Data {
        var copy = self
        copy.replaceSubrange(100..<4096, with: Data(count: 3996))
        return copy
    }
}
