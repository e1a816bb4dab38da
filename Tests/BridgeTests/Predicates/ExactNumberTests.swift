import Foundation
import LegacyStack
import StoreFormat
import StoreModel
import Testing

/// Numbers in predicates mean what they say, in both stacks and in memory: none is rounded until it finds something.
@Suite struct ExactNumberTests {
    private func sample() throws -> PredicateSample {
        let sample = try PredicateSample()
        for (price, weight) in [
            ("1234567890123456789", 0.1), ("1234567890123456788", 0.5), ("0.1", Float.greatestFiniteMagnitude),
        ] as [(String, Float)] {
            _ = sample.insert("Book", ["price": NSDecimalNumber(string: price), "weight": weight, "rating": 0.1])
        }
        try sample.save()
        return sample
    }

    /// As in Core Data, a number that is written out is a double: 0.1 is none that a float holds.
    @Test(
        arguments: [
            ("weight == 0.1", []), ("weight == 0.10000000149011612", [1]), ("weight IN {0.10000000149011612, 7}", [1]),
            ("weight BETWEEN {0.09, 0.11}", [1]), ("weight > 0.1", [1, 2, 3]), ("weight == 0.5", [2]),
            ("weight != 0.1", [1, 2, 3]), ("rating == 0.1", [1, 2, 3]),
            ("weight == 340282346638528859811704183484516925440", [3]),
        ] as [(String, [Int64])])
    func floatsAreComparedAsDoubles(format: String, keys: [Int64]) throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        #expect(try sample.agreed(format) == .keys(keys))
    }

    @Test func aFloatOfTheProgramFindsItself() throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "weight == %f", Float(0.1))
        #expect(try sample.context.fetch(request).map { $0.value(forKey: "weight") as? Float } == [0.1])
        request.predicate = NSPredicate(format: "weight == %@", NSNumber(value: Float(0.1)))
        #expect(try sample.context.count(for: request) == 1)
    }

    @Test(
        arguments: [
            ("price == 1234567890123456789", [1]), ("price == 1234567890123456788", [2]), ("price == 0.1", [3]),
            ("price > 1234567890123456788", [1]), ("price <= 1234567890123456788", [2, 3]),
            ("price == '1234567890123456789'", [1]), ("price IN {1234567890123456789, 0.1}", [1, 3]),
            ("price == CAST('1234567890123456789', 'NSDecimalNumber')", [1]), ("price == 0.10", [3]),
            ("price == 1234567890123456800", []), ("rating < 12345678901234567.5", [1, 2, 3]),
            ("rating == 0.1000000000000000055", [1, 2, 3]),
        ] as [(String, [Int64])])
    func decimalsAreComparedExactly(format: String, keys: [Int64]) throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        #expect(try sample.agreed(format) == .keys(keys))
    }

    /// Rounded to a double they would be equal to something that they are not.
    @Test(arguments: [
        "price == 12345678901234567.5", "price < '12345678901234567.5'", "price IN {1, 0.12345678901234567}",
        "price BETWEEN {0, 9223372036854775808}", "0.1000000000000000055 == price", "NOT price > 9999999999999999999",
        "price == CAST('12345678901234567890123', 'NSDecimalNumber')",
        "SUBQUERY(tags.books, $b, $b.price == 12345678901234567.5).@count > 0",
        "ANY tags.books.price == 12345678901234567.5",
    ])
    func aDecimalThatNoColumnHoldsIsRefused(format: String) throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        guard format.hasPrefix("SUBQUERY") else {
            #expect(try sample.agreed(format) == .error(.precisionLoss))
            return
        }
        let inner = "SUBQUERY(books, $b, $b.price == 12345678901234567.5).@count > 0"
        #expect(try sample.agreed(inner, of: "Tag") == .error(.precisionLoss))
    }

    @Test func aDecimalOfTheProgramIsComparedAsItsDigits() throws {
        let sample = try sample()
        defer { sample.bridge.close() }
        for (text, keys) in [("1234567890123456789", [1]), ("0.1", [3]), ("0.2", [])] as [(String, [Int64])] {
            let node = try PredicateNode.parse(
                "price == %@", arguments: [.value(.decimal(try #require(Decimal(string: text))))])
            #expect(try sample.agreed(node) == .keys(keys))
        }
    }
}
