import CoreData
import Foundation
import StoreFormat
import TestKit
import Testing

/// Numbers of every kind that properties are given: kept exactly, or refused.
@Suite struct NumberTests {
    @Test(
        arguments: [
            ("pages", NSNumber(value: 3.0), "3"), ("copies", NSNumber(value: UInt64(1) << 62), "4611686018427387904"),
            ("copies", NSDecimalNumber(string: "9007199254740993"), "9007199254740993"),
            ("rating", NSNumber(value: 7), "7.0"),
            ("price", NSNumber(value: 0.1), "0.1"), ("price", NSNumber(value: 5), "5"),
            ("isLent", NSNumber(value: 1), "1"),
            ("pages", true, "1"), ("price", Decimal(1) / 8, "0.125"),
        ] as [(String, any Sendable, String)])
    func isKept(key: String, value: any Sendable, column: String) throws {
        let library = try Library()
        library.insert("Book", [key: value])
        try library.context.save()
        #expect(try Programs.sqlite3(library.path, "SELECT Z\(key.uppercased()) FROM ZBOOK").output == column + "\n")
    }

    @Test(
        arguments: [
            ("pages", NSNumber(value: 3.7)), ("pages", NSNumber(value: 32_768)),
            ("copies", NSNumber(value: UInt64.max)),
            ("copies", NSDecimalNumber(string: "0.5")), ("copies", NSDecimalNumber(string: "9223372036854775808")),
            ("rating", NSNumber(value: Int64.max)), ("rating", NSNumber(value: Double.nan)), ("stock", "1"),
        ] as [(String, any Sendable)])
    func isRefused(key: String, value: any Sendable) throws {
        let library = try Library()
        library.insert("Book", [key: value])
        let error = #expect(throws: StoreError.self) { try library.context.save() }
        #expect(error?.code == .typeMismatch)
        #expect(error?.message.contains("Book.\(key)") == true)
        #expect(try library.rows("SELECT 1 FROM ZBOOK").isEmpty)
    }
}
