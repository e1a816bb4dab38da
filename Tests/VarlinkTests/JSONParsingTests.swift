import Testing
import Varlink

@Suite("JSON, parsed")
struct JSONParsingTests {
    @Test(
        "Valid texts give their values",
        arguments: [
            ("null", JSON.null), (" true\n", true), ("false", false), ("0", 0), ("-0", 0), ("-1", -1),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .unsigned(9_223_372_036_854_775_808)),
            ("18446744073709551615", .unsigned(.max)), ("18446744073709551616", .number("18446744073709551616")),
            ("-9223372036854775809", .number("-9223372036854775809")), ("1.0", .double(1)), ("1e2", .double(100)),
            ("-0.0", .double(-0.0)), ("2.5E-3", .double(0.0025)), ("5e-324", .double(.leastNonzeroMagnitude)),
            ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("0.1", .double(0.1)),
            ("3.141592653589793238462643", .number("3.141592653589793238462643")), ("1e-400", .double(0)),
            (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{c}\n\r\t"), (#""\u00e9\u20AC""#, "é€"),
            (#""x\ud83d\ude00y""#, "x😀y"), (#""\u0000""#, "\u{0}"), ("\"grüße\"", "grüße"),
            ("[]", []), ("[1 , [2],{}]", [1, [2], [:]]), (#"{"a":1,"b":[true,null]}"#, ["a": 1, "b": [true, nil]]),
            (#"{"a":1,"b":2,"a":3}"#, ["a": 3, "b": 2]),
        ] as [(String, JSON)])
    func valid(text: String, value: JSON) throws {
        #expect(try JSON(parsing: text) == value)
    }

    @Test(
        "Invalid texts are refused with the place of the fault",
        arguments: [
            ("", .unexpectedEnd, 0), ("  ", .unexpectedEnd, 2), ("nul", .unexpectedEnd, 3),
            ("nulL", .unexpectedByte, 3), ("1 2", .trailingBytes, 2), ("[1,]", .unexpectedByte, 3),
            ("[1", .unexpectedEnd, 2), ("{\"a\"}", .unexpectedByte, 4), ("{a:1}", .unexpectedByte, 1),
            ("{\"a\":1,}", .unexpectedByte, 7), ("01", .invalidNumber, 0), ("-", .unexpectedEnd, 1),
            ("1.", .invalidNumber, 0), (".5", .unexpectedByte, 0), ("+1", .unexpectedByte, 0),
            ("1e", .invalidNumber, 0),
            ("[1e400]", .numberOutOfRange, 1), ("NaN", .unexpectedByte, 0), ("\"a", .unexpectedEnd, 2),
            ("\"a\nb\"", .controlCharacter, 2), ("\"\\x\"", .invalidEscape, 2), ("\"\\u12G4\"", .invalidEscape, 5),
            ("\"\\ud800\"", .invalidEscape, 7), ("\"\\ud800\\u0041\"", .invalidEscape, 7),
            ("\"\\udc00\"", .invalidEscape, 7), ("'a'", .unexpectedByte, 0), ("// x\n1", .unexpectedByte, 0),
            ("\u{FEFF}1", .unexpectedByte, 0),
        ] as [(String, JSONError.Reason, Int)])
    func invalid(text: String, reason: JSONError.Reason, offset: Int) {
        #expect(throws: JSONError(reason, at: offset)) { try JSON(parsing: text) }
    }

    @Test(
        "What is not UTF-8 is refused at its first bad byte",
        arguments: [
            ([0x22, 0x61, 0xFF, 0x22], 2), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xED, 0xA0, 0x80, 0x22], 1),
            ([0x22, 0xE2, 0x82, 0x22], 1), ([0x22, 0xC3, 0xA9, 0x80, 0x22], 3),
            ([0x22, 0x5C, 0x6E, 0xF5, 0x80, 0x80, 0x80, 0x22], 3),
        ] as [([UInt8], Int)])
    func notUTF8(bytes: [UInt8], offset: Int) {
        #expect(throws: JSONError(.invalidUTF8, at: offset)) { try JSON(parsing: bytes) }
    }

    @Test("Nesting is allowed up to the limit and no deeper")
    func depth() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try JSON(parsing: deep).arrayValue?.count == 1)
        #expect(throws: JSONError(.tooDeep, at: 64)) { try JSON(parsing: "[" + deep + "]") }
        #expect(throws: JSONError(.tooDeep, at: 5)) { try JSON(parsing: "{\"a\":{}}", maximumDepth: 1) }
        #expect(try JSON(parsing: "[[],[],[]]", maximumDepth: 2).arrayValue?.count == 3)
    }

    @Test("A string of 100,000 brackets ends with an error, not with the stack")
    func hostileDepth() {
        let text = String(repeating: "[", count: 100_000)
        #expect(throws: JSONError(.tooDeep, at: 1000)) { try JSON(parsing: text, maximumDepth: 1000) }
    }
}
