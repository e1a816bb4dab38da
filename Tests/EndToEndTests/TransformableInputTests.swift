import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing
import Varlink

/// Transformables that are given to the daemon: what the attribute's transformer cannot read is not stored.
@Suite struct TransformableInputTests {
    private static let model = Short.model(
        Short.entity(
            "Trip",
            [
                ("plain", nil), ("keyed", "NSKeyedUnarchiveFromData"), ("secure", "NSSecureUnarchiveFromData"),
                ("own", "ColorTransformer"),
            ].map { (name: String, transformer: String?) in
                var attribute = Short.attribute(name, .transformable)
                attribute.valueTransformerName = transformer
                return attribute
            }))

    private func daemon(_ folder: TemporaryFolder) throws -> RunningDaemon {
        let path = folder.file("Trips.sqlite")
        try StoreCreator.create(path, model: Self.model)
        return try RunningDaemon(store: path, folder: folder)
    }

    /// Base64 of the bytes, and which of the attributes take them.
    static let cases: [(bytes: String, takers: Set<String>)] = [
        ("AAAA", ["own"]), (Data("{\"a\": 1}".utf8).base64EncodedString(), ["own"]), ("", ["own"]),
        (ValueCases.textArchive, ["plain", "keyed", "secure", "own"]),
        (ValueCases.colorArchive, ["plain", "keyed", "own"]),
    ]

    @Test(arguments: cases)
    func whatNobodyCouldReadIsRefused(bytes: String, takers: Set<String>) throws {
        let folder = try TemporaryFolder()
        let daemon = try daemon(folder)
        #expect(try daemon.ctl("insert", "Trip").exitCode == 0)
        let file = folder.file("value")
        try #require(Data(base64Encoded: bytes)).write(to: URL(fileURLWithPath: file))
        for name in ["plain", "keyed", "secure", "own"] {
            for value in ["{\"$transformable\":\"\(bytes)\"}", "@" + file] {
                #expect(try daemon.ctl("update", "Trip/1", "\(name):=null").exitCode == 0)
                let result = try daemon.ctl("update", "Trip/1", "\(name):=\(value)", "--json")
                let json = try JSON(parsing: result.output)
                if takers.contains(name) {
                    #expect(json["values"]?[name]?["$transformable"]?.stringValue == bytes, "\(name)")
                } else {
                    #expect(result.exitCode == 1, "\(name)")
                    #expect(json["error"]?["code"] == "TypeMismatch", "\(name): \(result.output)")
                    #expect(json["error"]?["message"]?.stringValue?.contains("Trip.\(name)") == true)
                    #expect(try daemon.json("get", "Trip/1").first?[0]?["values"]?[name]?.isNull == true, "\(name)")
                }
            }
        }
    }
}
