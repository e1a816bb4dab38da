import Foundation
import SQLite
import StoreFormat
import Testing

@Suite
struct ValueCodingTests {
    static let identifier = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255))

    /// An attribute of Book, a value, and what has to stand in the column.
    static let values: [(String, AttributeValue, SQLValue)] = [
        ("title", .string("Ünïcode 🦆 \u{0}after"), .text("Ünïcode 🦆 \u{0}after")),
        ("title", .string(""), .text("")),
        ("pages", .integer(-32_768), .integer(-32_768)),
        ("stock", .integer(2_147_483_647), .integer(2_147_483_647)),
        ("copies", .integer(.min), .integer(.min)),
        ("copies", .integer(.max), .integer(.max)),
        ("isLent", .bool(true), .integer(1)),
        ("isLent", .bool(false), .integer(0)),
        ("rating", .double(0.1), .real(0.1)),
        ("rating", .double(.leastNonzeroMagnitude), .real(.leastNonzeroMagnitude)),
        ("weight", .double(0.10000000149011612), .real(0.10000000149011612)),
        ("published", .date(Date(timeIntervalSinceReferenceDate: 700_000_000.125)), .real(700_000_000.125)),
        ("published", .date(Date(timeIntervalSinceReferenceDate: 700_000_000)), .integer(700_000_000)),
        ("published", .date(Date(timeIntervalSinceReferenceDate: -1.1)), .real(-1.1)),
        ("price", .decimal(Decimal(10)), .integer(10)),
        ("identifier", .uuid(identifier), .blob([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255])),
        ("link", .uri("https://example.org/ä?x=%20"), .text("https://example.org/ä?x=%20")),
        ("thumbnail", .data(Data()), .blob([])),
        ("thumbnail", .data(Data([0, 255])), .blob([0, 255])),
        ("cover", .data(Data([7])), .blob([1, 7])),
        ("cover", .data(Data()), .blob([1])),
        ("notes", .transformable(Data([9, 9])), .blob([9, 9])),
    ]

    @Test("a value stands in its column in Core Data's form and reads back equal", arguments: values.indices)
    func roundTrip(_ index: Int) throws {
        let (name, value, column) = Self.values[index]
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1)].merging([name: value]) { $1 })
        #expect(try sample.value("Book", key, name) == value)
        let stored = try sample.scalar("SELECT Z\(name.uppercased()) FROM ZBOOK")
        if case .real(let expected) = column, case .real(let found)? = stored {
            #expect(found.bitPattern == expected.bitPattern)
        } else {
            #expect(stored == column)
        }
        try sample.expectSound()
    }

    /// The doubles of the nearest floats, as Python's `struct` packs them: `unpack('f', pack('f', x))`.
    @Test(
        "a float attribute keeps what a float holds",
        arguments: [
            (0.1, 0.10000000149011612), (-0.3, -0.30000001192092896), (16_777_217, 16_777_216), (1e-46, 0),
            (3.4028234663852886e38, 3.4028234663852886e38), (.infinity, .infinity),
        ])
    func floats(value: Double, kept: Double) throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "weight": .double(value)])
        #expect(try sample.value("Book", key, "weight") == .double(kept))
        #expect(try sample.scalar("SELECT ZWEIGHT FROM ZBOOK") == .real(kept))
    }

    @Test(
        "a decimal that a number column holds exactly comes back exactly",
        arguments: [
            "0", "10.11", "-0.1", "3.5", "123456789012345", "9007199254740993", "0.000001", "99999999.9999999",
            "1234567890123456", "12345678901234567", "123456789012345678", "1234567890123456789",
            "9223372036854775807", "-9223372036854775808", "9300000000000000000", "1e30",
        ])
    func exactDecimal(_ text: String) throws {
        let sample = try SampleStore()
        let value = try #require(Decimal(string: text))
        let key = try sample.insert("Book", ["pages": .integer(1), "price": .decimal(value)])
        #expect(try sample.value("Book", key, "price") == .decimal(value))
    }

    @Test(
        "a decimal that neither an integer nor a double holds is refused, not rounded",
        arguments: [
            "1.23456789012345678901", "12345678901234567890.5", "0.1234567890123456789", "9223372036854775808",
            "9999999999999999999", "12345678901234567.5", "0.12345678901234567",
        ])
    func inexactDecimal(_ text: String) throws {
        let sample = try SampleStore()
        let value = try #require(Decimal(string: text))
        let error = expectStoreError(.precisionLoss) { _ = try sample.insert("Book", ["price": .decimal(value)]) }
        #expect(error?.message.contains("Book.price") == true)
        #expect(try sample.count("ZBOOK") == 0)
    }

    static let refused: [(String, AttributeValue)] = [
        ("pages", .integer(32_768)), ("pages", .integer(-32_769)), ("stock", .integer(1 << 31)),
        ("rating", .double(.nan)), ("weight", .double(3.5e38)), ("weight", .double(-1e39)),
        ("published", .date(Date(timeIntervalSinceReferenceDate: .nan))),
        ("price", .decimal(.nan)), ("title", .integer(1)), ("pages", .string("1")), ("isLent", .integer(1)),
        ("identifier", .string("x")), ("thumbnail", .string("x")), ("notes", .data(Data())),
        ("title", .unexpected(.integer(1))), ("cover", .missingExternalData(name: "x")),
    ]

    @Test("a value that does not fit its attribute is refused, naming the attribute", arguments: refused.indices)
    func mismatch(_ index: Int) throws {
        let (name, value) = Self.refused[index]
        let sample = try SampleStore()
        let error = expectStoreError(.typeMismatch) { _ = try sample.insert("Book", [name: value]) }
        #expect(error?.message.contains("Book.\(name)") == true)
    }

    @Test("a column of an unexpected storage class is shown as it is")
    func unexpected() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1)])
        try sample.connection.execute("UPDATE ZBOOK SET ZIDENTIFIER = 'text', ZTITLE = x'00', ZPUBLISHED = 'soon'")
        #expect(try sample.value("Book", key, "identifier") == .unexpected(.text("text")))
        #expect(try sample.value("Book", key, "title") == .unexpected(.blob([0])))
        #expect(try sample.value("Book", key, "published") == .unexpected(.text("soon")))
        #expect(try sample.value("Book", key, "price") == nil)
    }
}
