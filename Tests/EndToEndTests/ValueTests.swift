import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// Values over the control socket, and in dumps.
@Suite struct ValueTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Values.sqlite")
        try StoreCreator.create(path, model: ValueCases.model)
    }

    private func holds(_ condition: String, _ key: Int64) throws -> Bool {
        try Programs.sqlite3(path, "SELECT \(condition) FROM ZSAMPLE WHERE Z_PK = \(key)").output == "1\n"
    }

    @Test func whatAClientSendsIsStoredAndGivenBackByBothStacks() throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        let client = try daemon.client()
        for value in ValueCases.all {
            guard let text = value.json else { continue }
            let given = try JSON(parsing: text)
            let reply = try client.call(
                "org.coexistd.Control.Insert",
                ["entity": "Sample", "values": .object(JSONObject([(value.attribute, given)]))])
            let id = try #require(reply["object"]?["id"])
            let key = try #require(reply["object"]?["pk"]?.int64Value)
            #expect(try holds(value.sql, key), "\(value.name)")
            // What is given back is taken again as the same value.
            for stack in ["legacy", "model"] {
                let found = try client.call(
                    "org.coexistd.Control.Get", ["objects": .array([id]), "stack": .string(stack)])
                let shown = try #require(found["objects"]?[0]?["values"]?[value.attribute])
                #expect(!shown.isNull, "\(value.name)")
                let again = try client.call(
                    "org.coexistd.Control.Update",
                    ["object": id, "values": .object(JSONObject([(value.attribute, shown)]))])
                #expect(again["object"]?["version"] == 1, "\(value.name): \(shown)")
            }
        }
    }

    @Test(arguments: [
        ("small", "32768", "TypeMismatch"), ("medium", "1.5", "TypeMismatch"),
        ("identifier", "\"0102\"", "TypeMismatch"),
        ("amount", "\"79228162514264337593543950335\"", "PrecisionLoss"), ("amount", "\"1.2.3\"", "TypeMismatch"),
        ("amount", "0.1234567890123456789", "TypeMismatch"), ("real", "\"NaN\"", "TypeMismatch"),
        ("moment", "\"soon\"", "TypeMismatch"), ("bytes", "\"?\"", "TypeMismatch"),
        ("place", "{\"town\":1}", "UnknownKey"),
        ("place", "{\"key\":\"x\"}", "TypeMismatch"), ("flag", "2", "TypeMismatch"),
    ])
    func whatIsNoValueOfItsAttributeIsRefused(attribute: String, json: String, code: String) throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        let result = try daemon.json("insert", "Sample", "\(attribute):=\(json)")
        #expect(result.first?["error"]?["code"]?.stringValue == code)
        #expect(try Programs.sqlite3(path, "SELECT count(*) FROM ZSAMPLE").output == "0\n")
    }

    @Test func anInfinityIsNamed() throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        let object = try daemon.json("insert", "Sample", "real=-Infinity").first
        #expect(object?["values"]?["real"] == "-Infinity")
        #expect(try holds("ZREAL IS -9e999", 1))
    }

    @Test func aDumpShowsWhatAnotherProgramWrote() throws {
        var lines = 0
        for (_, assignment) in ValueCases.foreign + ValueCases.visible {
            lines += 1
            let result = try Programs.sqlite3(
                path,
                "INSERT INTO ZSAMPLE (Z_PK, Z_ENT, Z_OPT, ZMEDIUM) VALUES (\(lines), 1, 1, \(lines)); "
                    + "UPDATE ZSAMPLE SET \(assignment) WHERE Z_PK = \(lines)")
            #expect(result.exitCode == 0, "\(assignment): \(result.errors)")
        }
        let legacy = try Programs.ctl("dump", path, "--stack", "legacy")
        let model = try Programs.ctl("dump", path, "--stack", "model")
        #expect(legacy.exitCode == 0, "\(legacy.errors)")
        #expect(legacy.output == model.output)
        #expect(legacy.lines.count == lines)
        for (i, (line, what)) in zip(legacy.lines, ValueCases.foreign + ValueCases.visible).enumerated() {
            let object = try JSON(parsing: line)
            #expect(object["values"]?["medium"]?.intValue == i + 1, "\(what.assignment)")
            #expect(object["values"]?[what.attribute]?.isNull == false, "\(what.assignment): \(line)")
        }
    }
}
