import Foundation
import Varlink

/// `org.varlink.certification`: each method gives what the next must be called with.
enum CertificationServer {
    static let prefix = "org.varlink.certification."
    static let id = "4f3b1d"
    static let number = 3.141592653589793

    /// What each method replies with.
    static let replies: [String: JSONObject] = [
        "Start": ["client_id": .string(id)],
        "Test01": ["bool": true],
        "Test02": ["int": 1],
        "Test03": ["float": 1.0],
        "Test04": ["string": "ping"],
        "Test05": mixed,
        "Test06": ["struct": .object(mixed)],
        "Test07": ["map": ["foo": "Foo", "bar": "Bar"]],
        "Test08": ["set": ["one": [:], "two": [:], "three": [:]]],
        "Test09": ["mytype": myType],
        "Test11": [:],
        "End": ["all_ok": true],
    ]

    private static let mixed: JSONObject = [
        "bool": false, "int": 2, "float": .double(number), "string": "a lot of string",
    ]

    private static let myType: JSON = [
        "object": ["method": "org.varlink.certification.Test09", "parameters": ["map": ["foo": "Foo", "bar": "Bar"]]],
        "enum": "two",
        "struct": ["first": 1, "second": "2"],
        "array": ["one", "two", "three"],
        "dictionary": ["foo": "Foo", "bar": "Bar"],
        "stringset": ["one": [:], "two": [:], "three": [:]],
        "nullable": nil,
        "nullable_array_struct": nil,
        "interface": [
            "foo": [nil, ["foo": "foo", "bar": "bar"], nil, ["one": "foo", "two": "bar"]],
            "anon": ["foo": true, "bar": false],
        ],
    ]

    static let lastReplies = (1...10).map { "Reply number \($0)" }

    /// The method before, whose reply a method must be called with.
    private static func expected(_ method: String) -> JSONObject {
        let order = ["Start", "Test01", "Test02", "Test03", "Test04", "Test05", "Test06", "Test07", "Test08", "Test09"]
        var expected: JSONObject = method == "Start" ? [:] : ["client_id": .string(id)]
        switch method {
        case "Test10": expected["mytype"] = myType
        case "Test11": expected["last_more_replies"] = .array(lastReplies.map(JSON.string))
        default:
            guard let index = order.firstIndex(of: method), index > 1 else { return expected }
            for (key, value) in replies[order[index - 1]] ?? [:] { expected[key] = value }
        }
        return expected
    }

    /// Leaves out nulls: a field that is null may be missing.
    private static func withoutNulls(_ value: JSON) -> JSON {
        guard case .object(let object) = value else { return value }
        return .object(JSONObject(object.filter { !$0.value.isNull }.map { ($0.key, withoutNulls($0.value)) }))
    }

    @Sendable static func handle(_ call: IncomingCall) {
        let method = call.call.member
        let wants = withoutNulls(.object(expected(method)))
        let got = withoutNulls(.object(call.parameters))
        guard wants == got, call.call.more == (method == "Test10"), call.call.oneway == (method == "Test11") else {
            call.fail(prefix + "CertificationError", ["wants": wants, "got": got])
            return
        }
        if method == "Test10" {
            for text in lastReplies.dropLast() { call.send(["string": .string(text)]) }
            call.reply(["string": .string(lastReplies.last ?? "")])
        } else {
            call.reply(replies[method] ?? [:])
        }
    }
}
