import Foundation
import LegacyStack
import StoreFormat
import StoreModel
import Testing

/// What predicates find, worked out by hand; and what is wrong with those that find nothing because they make no sense.
@Suite struct PredicateMeaningTests {
    /// Shelves 1 to 4 hold books of pages {}, {1}, {1, 2}, {2}.
    private func shelves() throws -> PredicateSample {
        let sample = try PredicateSample()
        for (i, pages) in [[], [1], [1, 2], [2]].enumerated() {
            let shelf = sample.insert("Shelf", ["label": "\(i + 1)"])
            for count in pages { _ = sample.insert("Book", ["pages": count, "shelf": shelf, "title": "b\(count)"]) }
        }
        try sample.save()
        return sample
    }

    @Test(arguments: [
        ("ALL books.pages == 1", [1, 2]), ("ANY books.pages == 1", [2, 3]), ("SOME books.pages == 1", [2, 3]),
        ("NONE books.pages == 1", [1, 4]), ("NOT ALL books.pages == 1", [3, 4]), ("ALL books.pages IN {1}", [1, 2]),
        ("ALL books.pages IN {1, 2}", [1, 2, 3, 4]), ("ALL books.title IN[c] {'B1', 'x'}", [1, 2]),
        ("ANY books.pages IN {2, 5}", [3, 4]), ("NONE books.pages IN {}", [1, 2, 3, 4]), ("ANY books.pages IN {}", []),
        ("ALL books.pages BETWEEN {0, 1}", [1, 2]), ("ANY books.title LIKE[c] 'B?'", [2, 3, 4]),
        ("ANY {1, 2} == books.@count", [2, 3, 4]), ("NONE {1, 2} == books.@count", [1]),
        ("SUBQUERY(books, $b, $b.pages == 1).@count != 0", [2, 3]),
        ("SUBQUERY(books, $b, $b.pages == 1).@count == 0", [1, 4]),
        ("SUBQUERY(books, $b, $b.pages > 0).@count > 1", [3]),
        ("SUBQUERY(books, $b, $b.pages > 0 AND $b.title ENDSWITH '2').@count == 1", [3, 4]),
        ("SUBQUERY(books, $b, SUBQUERY($b.shelf.books, $c, $c.pages > $b.pages).@count == 1).@count == 1", [3]),
        // A key path without a variable is the shelf's own.
        ("SUBQUERY(books, $b, $b.pages == books.@count).@count == 1", [2, 3]),
        ("SUBQUERY(books, $b, $b.shelf == SELF).@count == books.@count", [1, 2, 3, 4]),
        ("books.@sum.pages == 3", [3]), ("books.@avg.pages == 1.5", [3]), ("books.@max.title == 'b2'", [3, 4]),
        ("books.@min.pages == nil", [1]), ("books.@sum.pages == 0", [1]), ("count:(books) == 2", [3]),
        ("books.title CONTAINS 'b2'", [3, 4]), ("'B2' IN[c] books.title", [3, 4]),
        ("books CONTAINS 'Book/1'", [2]), ("'Book/4' IN books", [4]),
    ])
    func relationships(text: String, keys: [Int64]) throws {
        let sample = try shelves()
        defer { sample.bridge.close() }
        #expect(try sample.agreed(text, of: "Shelf") == .keys(keys))
    }

    /// Cards 1 to 10 have the numbers 0 to 9.
    @Test(arguments: [
        ("number BETWEEN {1, 5-1}", [2, 3, 4, 5]), ("number BETWEEN {7 + 1, 100}", [9, 10]),
        ("number BETWEEN {5, 1}", []), ("number BETWEEN {'1', '2'}", [2, 3]), ("NOT number BETWEEN {1, 9}", [1]),
        ("number BETWEEN {number - 1, 3}", [1, 2, 3, 4]), ("number / 2 == 4", [9, 10]),
        ("number / 0 == nil", Array(1...10)),
        ("number % 3 == 0 AND number > 0", []), ("modulus:by:(number, 3) == 0", [1, 4, 7, 10]),
        ("number ** 2 == 49", [8]), ("number < 9223372036854775808", Array(1...10)),
        ("number > 99999999999999999999", []), ("number == 1.5", []), ("number IN {1, 2.0, '3'}", [2, 3, 4]),
        ("TERNARY(number > 4, 1, 0) == 1", [6, 7, 8, 9, 10]), ("TERNARY(number > 4, number, nil) == 7", [8]),
        ("TERNARY(number > 4, number, nil) == nil", [1, 2, 3, 4, 5]), ("abs(number - 5) > 4", [1]),
        ("NOT (number > 1 AND number < 8)", [1, 2, 9, 10]), ("ANY member.name == nil", Array(1...10)),
        ("NONE member.name == nil", []), ("SELF == 'Card/3'", [3]), ("SELF IN {'Card/3', 'Card/99'}", [3]),
    ])
    func numbers(text: String, keys: [Int64]) throws {
        // `%` is not the format's remainder.
        guard !text.contains("% ") else {
            #expect(throws: PredicateSyntaxError.self) { try PredicateNode.parse(text) }
            return
        }
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        for i in 0..<10 { _ = sample.insert("Card", ["number": i]) }
        try sample.save()
        #expect(try sample.agreed(text, of: "Card") == .keys(keys))
    }

    /// Books 1 to 4: published half a minute into 2001, at its start, in June, and never.
    @Test(arguments: [
        ("published == '2001-01-01T00:00:30.5Z'", [1]), ("published == '2001-01-01'", [2]),
        ("published > '2001-01-01 00:00:30 +0000'", [1, 3]), ("published == '2001-06-01T14:00:00+02:00'", [3]),
        ("published < CAST(1, 'NSDate')", [2]), ("published + 1 > '2001-01-01T00:00:31Z'", [1, 3]),
        ("published < now()", [1, 2, 3]), ("published == 30.5", [1]),
        ("published BETWEEN {'2001-01-01', '2001-02-01'}", [1, 2]),
        ("published != nil", [1, 2, 3]), ("size == nil", [1, 4]), ("size != nil", [2, 3]), ("size.width == 2.5", [2]),
        ("sequel.size.unit == nil", [1, 2, 4]), ("ANY sequel.title == nil", [1, 2, 3, 4]),
    ])
    func datesAndComposites(text: String, keys: [Int64]) throws {
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        let first = sample.insert("Book", ["published": Date(timeIntervalSinceReferenceDate: 30.5)])
        let second = sample.insert(
            "Book", ["published": Date(timeIntervalSinceReferenceDate: 0), "size": ["width": 2.5], "sequel": first])
        // 151 days from the first of January to the first of June.
        let third = sample.insert(
            "Book",
            ["published": Date(timeIntervalSinceReferenceDate: 151 * 86_400 + 43_200), "size": ["unit": "cm"]])
        _ = (sample.insert("Book", ["sequel": second]), third.setValue(third, forKey: "sequel"))
        try sample.save()
        #expect(try sample.agreed(text) == .keys(keys))
    }

    @Test(arguments: [
        ("title == 5", StoreError.Code.typeMismatch), ("author == 1", .typeMismatch),
        ("pages == 'many'", .typeMismatch),
        ("SELF == 'Dune'", .unknownObject), ("SELF == 'Tag/1'", .typeMismatch), ("SELF == 'Nothing/1'", .unknownEntity),
        ("SELF == 'x-coredata://5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01/Book/p1'", .otherStore),
        ("length(title) BEGINSWITH '1'", .typeMismatch), ("pages CONTAINS '1'", .typeMismatch),
        ("published == 'soon'", .typeMismatch), ("published == '2001-02-30'", .typeMismatch),
        ("published > pages", .typeMismatch), ("author == shelf", .typeMismatch),
        ("author > 'Author/1'", .typeMismatch),
        ("title + 1 == 2", .typeMismatch), ("identifier == 'x'", .typeMismatch), ("title IN {'a', 5}", .typeMismatch),
        ("pages BETWEEN {1, 'x'}", .typeMismatch), ("size == 1", .badPredicate), ("size.depth == 1", .unknownKey),
        ("tags == nil", .badPredicate), ("tags > 1", .badPredicate), ("title == {1, 2}", .badPredicate),
        ("pages BETWEEN 5", .badPredicate), ("pages IN 5", .typeMismatch), ("tags.@count.foo > 1", .unknownKey),
        ("title.@count > 1", .badPredicate), ("tags.@median.name == 1", .badPredicate),
        ("tags.@sum.name > 1", .typeMismatch),
        ("title MATCHES '('", .badPredicate), ("cover == 'AAEC'", .badPredicate), ("titel == 'x'", .unknownKey),
        ("author.nam == 'x'", .unknownKey), ("title.x == 1", .badPredicate), ("$x == 1", .badPredicate),
        ("SUBQUERY(title, $x, $x == 1).@count > 0", .badPredicate),
        ("SUBQUERY(tags, $x, $x.name == 1).@count > 0", .typeMismatch),
        ("SUBQUERY(tags, $x, TRUEPREDICATE) == 1", .badPredicate), ("median:(pages) == 1", .badPredicate),
        ("TERNARY(pages > 1, 1, 'x') == 1", .typeMismatch), ("tags[0] == nil", .badPredicate),
    ])
    func whatMakesNoSenseIsTheSameErrorInBoth(text: String, code: StoreError.Code) throws {
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        _ = sample.insert("Book", ["title": "Dune"])
        try sample.save()
        #expect(try sample.agreed(text) == .error(code))
    }

    /// Rooms 1 to 3 have lamps of {}, {40}, {40, 60} watts; a lamp does not know its room.
    @Test(arguments: [
        ("ANY lamps.watts == 60", [3]), ("ANY lamps.watts > 10", [2, 3]), ("NONE lamps.watts == 40", [1]),
        ("ALL lamps.watts == 40", [1, 2]), ("lamps.@count == 2", [3]), ("lamps.@sum.watts == 100", [3]),
        ("SUBQUERY(lamps, $l, $l.watts < 50).@count == 1", [2, 3]), ("'Lamp/1' IN lamps", [2]),
    ])
    func toManysWithoutInverse(text: String, keys: [Int64]) throws {
        var room = EntityDescription(name: "Room")
        room.attributes = [AttributeDescription(name: "name", type: .string, isOptional: true)]
        room.relationships = [RelationshipDescription(name: "lamps", destination: "Lamp", maxCount: 0)]
        var lamp = EntityDescription(name: "Lamp")
        lamp.attributes = [AttributeDescription(name: "watts", type: .integer16)]
        let sample = try PredicateSample(model: ModelDescription(entities: [room, lamp]))
        defer { sample.bridge.close() }
        for watts in [[], [40], [40, 60]] {
            let room = sample.insert("Room", [:])
            // One save a room, so that the keys come in this order.
            room.setValue(Set(watts.map { sample.insert("Lamp", ["watts": $0]) }), forKey: "lamps")
            try sample.save()
        }
        #expect(try sample.agreed(text, of: "Room") == .keys(keys))
    }

    /// An identity is the same in small and in large letters.
    @Test(arguments: [
        ("identifier == 'deadbeef-0001-4000-8000-0123456789ab'", [1]),
        ("identifier == 'DEADBEEF-0001-4000-8000-0123456789AB'", [1]),
        ("identifier IN {'DeadBeef-0001-4000-8000-0123456789aB'}", [1]),
        ("identifier != 'deadbeef-0001-4000-8000-0123456789ab'", [2]),
    ])
    func identifiers(text: String, keys: [Int64]) throws {
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        for (title, id) in [
            ("a", "DEADBEEF-0001-4000-8000-0123456789AB"), ("b", "5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01"),
        ] {
            let id = try #require(UUID(uuidString: id))
            _ = sample.insert("Book", ["title": title, "identifier": id])
            try sample.save()
        }
        #expect(try sample.agreed(text) == .keys(keys))
    }

    /// Columns of decimals are reals, and the database adds them as such: three tenths are 0.30000000000000004.
    @Test(arguments: [
        ("books.@sum.price == 0.3", []), ("books.@sum.price > 0.3", [1]), ("books.@sum.price < 0.30000000000001", [1]),
        ("books.@avg.price == 0.1", []), ("books.@avg.price > 0.1", [1]), ("books.@max.price == 0.1", [1]),
    ])
    func sumsOfDecimals(text: String, keys: [Int64]) throws {
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        let shelf = sample.insert("Shelf", [:])
        for _ in 0..<3 { _ = sample.insert("Book", ["price": NSDecimalNumber(string: "0.1"), "shelf": shelf]) }
        try sample.save()
        #expect(try sample.agreed(text, of: "Shelf") == .keys(keys))
    }

    @Test func arithmeticOfDecimals() throws {
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        _ = sample.insert("Book", ["price": NSDecimalNumber(string: "0.1")])
        try sample.save()
        #expect(try sample.agreed("price == 0.1") == .keys([1]))
        #expect(try sample.agreed("price + 0.2 == 0.3") == .keys([]))
        #expect(try sample.agreed("price + 0.2 > 0.3") == .keys([1]))
    }
}
