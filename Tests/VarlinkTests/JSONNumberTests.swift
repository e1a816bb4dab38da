import Testing
import Varlink

@Suite("JSON: numbers of many digits")
struct JSONNumberTests {
    @Test(
        "A number that no double has the digits of keeps its text",
        arguments: [
            "0.1234567890123456789", "12345678901234567.5", "10000000000000000000000001", "-0.1000000000000000055",
            "1.0000000000000000001e5", "18446744073709551617", "123456789012345678901234567890",
        ])
    func kept(text: String) throws {
        let value = try JSON(parsing: text)
        #expect(value == .number(text))
        #expect(value.description == text)
        #expect(value.doubleValue == Double(text))
        #expect(value.kind == "number")
    }

    @Test(
        "What a double tells apart is a double",
        arguments: [
            ("0.1", 0.1), ("0.12345678901234566", 0.12345678901234566), ("5e-324", .leastNonzeroMagnitude),
            ("1e22", 1e22),
            ("10000000000000000000000", 1e22), ("0.10000000000000000000000000", 0.1),
            ("123456789.012345", 123456789.012345),
            ("1.7976931348623157e308", 1.7976931348623157e308), ("-0.0", 0), ("700000000.1234567", 700000000.1234567),
        ] as [(String, Double)])
    func doubles(text: String, value: Double) throws {
        #expect(try JSON(parsing: text) == .double(value))
    }

    @Test(
        "Whole numbers of 64 bits are integers",
        arguments: ["9007199254740993", "18446744073709551615", "-9223372036854775808"])
    func integers(text: String) throws {
        #expect(try JSON(parsing: text).kind == "integer")
        #expect(try JSON(parsing: text).description == text)
    }
}
