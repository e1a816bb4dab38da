import Testing
import Varlink

@Suite("JSON, written")
struct JSONWritingTests {
    @Test(
        "Values have their compact text",
        arguments: [
            (JSON.null, "null"), (true, "true"), (.integer(.min), "-9223372036854775808"), (0, "0"),
            (.unsigned(.max), "18446744073709551615"), (1.0, "1.0"), (0.1, "0.1"), (-0.0, "-0.0"),
            (.double(1e21), "1e+21"), (.double(.leastNonzeroMagnitude), "5e-324"), (.double(.nan), "null"),
            (.double(-.infinity), "null"), ("a/b é 😀", "\"a/b é 😀\""),
            ("\"\\\u{8}\t\n\u{c}\r\u{1}\u{1f}\u{7f}", "\"\\\"\\\\\\b\\t\\n\\f\\r\\u0001\\u001f\u{7f}\""),
            ([], "[]"), ([1, [2, []]], "[1,[2,[]]]"), ([:], "{}"), (["b": 1, "a": [:]], #"{"b":1,"a":{}}"#),
        ] as [(JSON, String)])
    func compact(value: JSON, text: String) {
        #expect(value.text() == text)
    }

    @Test(
        "Doubles read back equal, as doubles",
        arguments: [
            0.1, 1.0 / 3, 1e22, 1e23, 123_456_789_012_345_680, .leastNonzeroMagnitude, 2.2250738585072014e-308,
            1.7976931348623157e308, -0.0, 9_007_199_254_740_992, 0.000001, 7.2057594037927933e16,
        ])
    func roundTrip(number: Double) throws {
        let back = try JSON(parsing: JSON.double(number).text())
        guard case .double(let value) = back else {
            Issue.record("\(back)")
            return
        }
        #expect(value.bitPattern == number.bitPattern)
    }

    @Test("Pretty text has a member a line and keeps or sorts the keys")
    func pretty() {
        let value: JSON = ["b": [1, ["x": nil]], "a": [], "c": [:]]
        #expect(
            value.text(.pretty) == """
                {
                  "b": [
                    1,
                    {
                      "x": null
                    }
                  ],
                  "a": [],
                  "c": {}
                }
                """)
        #expect(value.text(JSONFormat(sortsKeys: true)) == #"{"a":[],"b":[1,{"x":null}],"c":{}}"#)
    }

    @Test("Writing appends to what the buffer holds")
    func appends() {
        var bytes = Array("x=".utf8)
        JSON.integer(12).write(to: &bytes)
        JSON.bool(true).write(to: &bytes)
        #expect(bytes == Array("x=12true".utf8))
    }
}
