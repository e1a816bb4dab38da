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

    private static let refused: [(attribute: String, json: String, code: String)] = [
        ("small", "32768", "TypeMismatch"), ("medium", "1.5", "TypeMismatch"),
        ("identifier", "\"0102\"", "TypeMismatch"),
        ("amount", "\"79228162514264337593543950335\"", "PrecisionLoss"), ("amount", "\"1.2.3\"", "TypeMismatch"),
        ("amount", "0.1234567890123456789", "PrecisionLoss"),
        ("amount", "12345678901234567.5", "PrecisionLoss"), ("amount", "9223372036854775808", "PrecisionLoss"),
        ("amount", "10000000000000000000000001", "PrecisionLoss"), ("amount", "\"1e-200\"", "PrecisionLoss"),
        ("amount", "\"0.10000000000000000000000000000000000000001\"", "PrecisionLoss"),
        ("large", "9223372036854775808", "TypeMismatch"), ("large", "1.0000000000000000001", "TypeMismatch"),
        ("moment", "\"2021-02-30\"", "TypeMismatch"), ("moment", "\"2021-04-31T10:00:00Z\"", "TypeMismatch"),
        ("moment", "\"2021-13-01\"", "TypeMismatch"), ("moment", "\"2021-01-01T24:00:00Z\"", "TypeMismatch"),
        ("moment", "\"2016-12-31T23:59:60Z\"", "TypeMismatch"), ("moment", "9007199254740993", "TypeMismatch"),
        ("moment", "\"10000-01-01\"", "TypeMismatch"), ("real", "\"NaN\"", "TypeMismatch"),
        ("moment", "\"soon\"", "TypeMismatch"), ("bytes", "\"?\"", "TypeMismatch"),
        ("place", "{\"town\":1}", "UnknownKey"),
        ("place", "{\"key\":\"x\"}", "TypeMismatch"), ("flag", "2", "TypeMismatch"),
        ("single", "1e-50", "TypeMismatch"), ("single", "\"-1e-50\"", "TypeMismatch"),
        ("single", "16777217", "TypeMismatch"), ("single", "\"16777217\"", "TypeMismatch"),
        ("single", "1e39", "TypeMismatch"), ("single", "\"340282356779733661637539395458142568448\"", "TypeMismatch"),
    ]

    @Test func whatIsNoValueOfItsAttributeIsRefused() throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        for (attribute, json, code) in Self.refused {
            let error = try daemon.json("insert", "Sample", "\(attribute):=\(json)").first?["error"]
            #expect(error?["code"]?.stringValue == code, "\(attribute) \(json)")
            let message = error?["message"]?.stringValue ?? ""
            #expect(message.contains("Sample.\(attribute)"), "\(json): \(message)")
            if attribute == "moment" { #expect(message.contains(json), "\(message)") }
            #expect(try Programs.sqlite3(path, "SELECT count(*) FROM ZSAMPLE").output == "0\n", "\(attribute) \(json)")
        }
    }

    /// 0.10000000149011612 is the double of the float that is nearest to 0.1, which is what Core Data binds.
    @Test(arguments: ["single=0.1", "single:=0.1", "single:=0.10000000149011612"])
    func aFloatIsStoredAsTheNearestOne(value: String) throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        #expect(try daemon.ctl("insert", "Sample", value).exitCode == 0)
        #expect(try holds("ZSINGLE IS 0.10000000149011612", 1))
        for stack in ["legacy", "model"] {
            let shown = try daemon.json("get", "Sample/1", "--stack", stack).first?[0]
            #expect(shown?["values"]?["single"] == 0.10000000149011612)
        }
        #expect(try daemon.json("update", "Sample/1", value).first?["version"] == 1)
        #expect(try daemon.json("update", "Sample/1", "single=0.2").first?["version"] == 2)
    }

    /// What is written as a whole number is one that a float holds; a fraction and a power are rounded, as everywhere.
    @Test(arguments: [
        ("16777216", 16_777_216), ("-16777218", -16_777_218), ("1e20", 100_000_002_004_087_734_272),
        ("1e-45", 1.401298464324817e-45), ("123456789.5", 123_456_792), ("0", 0), ("\"0.0\"", 0),
    ])
    func whatAFloatRoundsIsTaken(json: String, stored: Double) throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        #expect(try daemon.ctl("insert", "Sample", "single:=\(json)").exitCode == 0)
        #expect(try daemon.json("get", "Sample/1").first?[0]?["values"]?["single"]?.doubleValue == stored)
    }

    /// What `dump` prints is taken again as the same bits.
    @Test func datesGoThroughADumpToTheBit() throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        let client = try daemon.client()
        var generator = SystemRandomNumberGenerator()
        var written = (0..<40).map { _ in Double.random(in: -7e10...3e11, using: &generator) }
        written += [252_423_993_600, 252_423_993_599.99997, 1e300, -1e-300, 0.1 + 0.2, 5e-324]
        for seconds in written {
            _ = try client.call(
                "org.coexistd.Control.Insert", ["entity": "Sample", "values": ["moment": .double(seconds)]])
        }
        for (i, line) in try Programs.ctl("dump", path).lines.enumerated() {
            let dumped = try #require(try JSON(parsing: line)["values"]?["moment"])
            #expect(dumped.doubleValue?.bitPattern == written[i].bitPattern, "\(line)")
            let object = JSON.string("Sample/\(i + 1)")
            let shown = try client.call("org.coexistd.Control.Get", ["objects": [object]])
            for value in [dumped, shown["objects"]?[0]?["values"]?["moment"] ?? .null] {
                let reply = try client.call(
                    "org.coexistd.Control.Update", ["object": object, "values": ["moment": value]])
                #expect(reply["object"]?["version"] == 1, "\(value) is not \(written[i])")
                #expect(reply["token"] == .null)
            }
        }
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
