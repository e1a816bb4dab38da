import Foundation
import StoreModel
import TestKit

/// Makes random predicates about books in the format language: mostly right ones, some that compare what cannot be.
struct PredicateGenerator {
    private enum Kind: CaseIterable {
        case number
        case text
        case date
        case uuid
        case data
        case object
    }

    private var random: SplitMix
    private var variables = 0

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    private mutating func pick(_ list: [String]) -> String { list.randomElement(using: &random) ?? "" }
    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// A predicate of at most that depth.
    mutating func predicate(_ depth: Int = 3) -> String {
        guard depth > 0, chance(55) else { return comparison(depth) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return "NOT (\(predicate(depth - 1)))"
        case 1: return "(\(predicate(depth - 1)) OR \(predicate(depth - 1)) OR \(predicate(depth - 1)))"
        case 2, 3: return "(\(predicate(depth - 1)) AND \(predicate(depth - 1)))"
        default: return pick(["TRUEPREDICATE", "FALSEPREDICATE", comparison(depth)])
        }
    }

    private mutating func comparison(_ depth: Int) -> String {
        if chance(18) { return quantified(depth) }
        if chance(4) { return membership() }
        if chance(4) { return "size \(pick(["==", "!="])) nil" }
        let kind = Kind.allCases.randomElement(using: &random) ?? .number
        // Every fifth comparison may be of what does not compare.
        let other = chance(20) ? Kind.allCases.randomElement(using: &random) ?? kind : kind
        return "\(expression(kind, depth)) \(test(kind, with: other, depth))"
    }

    /// An operator with what stands behind it.
    private mutating func test(_ kind: Kind, with other: Kind, _ depth: Int) -> String {
        let options = kind == .text || chance(5) ? pick(["", "", "[c]", "[d]", "[cd]", "[n]", "[cn]"]) : ""
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            let count = Int.random(in: 0..<5, using: &random)
            let elements = (0..<count).map { _ in chance(10) ? "nil" : expression(other, 0) }
            return "IN\(options) {\(elements.joined(separator: ", "))}"
        case 1 where kind != .object: return "BETWEEN {\(expression(other, 0)), \(expression(other, 0))}"
        case 2,
            3 where kind == .text:
            let op = pick(["BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES"])
            let pattern =
                chance(80) ? pick(["'D*'", "'?une'", "'É'", "'.*e'", "'une'", "''", "'s'"]) : expression(other, 1)
            return "\(op)\(options) \(pattern)"
        case 4, 5: return "\(pick(["==", "!="]))\(options) \(chance(30) ? "nil" : expression(other, depth - 1))"
        default: return "\(pick(["==", "!=", "<", "<=", ">", ">="]))\(options) \(expression(other, depth - 1))"
        }
    }

    private mutating func quantified(_ depth: Int) -> String {
        let word = pick(["ANY", "ALL", "NONE", "SOME"])
        let kind = [Kind.number, .text, .date, .object].randomElement(using: &random) ?? .number
        let path: String
        switch kind {
        case .number:
            path = pick(["tags.books.pages", "shelf.books.rating", "author.books.copies", "readers.card.number"])
        case .text:
            path = pick(["tags.name", "shelf.books.title", "tags.books.tags.name", "readers.name", "author.name"])
        case .date: path = pick(["shelf.books.published", "readers.joined"])
        default: path = pick(["tags", "readers", "shelf.books", "author"])
        }
        return "\(word) \(path) \(test(kind, with: kind, depth))"
    }

    private mutating func membership() -> String {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: "tags.name CONTAINS[\(pick(["c", "d", "cd"]))] \(expression(.text, 0))"
        case 1: "\(expression(.text, 0)) IN tags.name"
        case 2: "SELF IN \(pick(["shelf.books", "author.books", "sequel.shelf.books"]))"
        default: "\(pick(["'un'", "'D'", "title"])) IN \(pick(["title", "author.name"]))"
        }
    }

    // MARK: Expressions

    private mutating func expression(_ kind: Kind, _ depth: Int) -> String {
        if depth > 0, chance(8) {
            return "TERNARY(\(predicate(depth - 2)), \(expression(kind, depth - 1)), \(expression(kind, depth - 1)))"
        }
        switch kind {
        case .number: return number(depth)
        case .text: return text(depth)
        case .date: return date(depth)
        case .uuid: return pick(["identifier", "sequel.identifier", "'5B0E6A52-6C0F-4E0B-9C3C-0D5E5F6F7A01'"])
        case .data: return pick(["thumbnail", "'AAEC'", "notes"])
        case .object:
            return pick([
                "author", "shelf", "sequel", "SELF", "sequel.author", "'Book/1'", "'Author/1'", "sequel.sequel",
            ])
        }
    }

    private mutating func number(_ depth: Int) -> String {
        if depth > 0, chance(25) {
            let (a, b) = (number(depth - 1), number(depth - 1))
            return "(\(a) \(pick(["+", "-", "*", "/", "%%"])) \(b))".replacingOccurrences(of: "%%", with: "%%")
        }
        if depth > 0, chance(10) {
            return "\(pick(["abs", "floor", "ceiling", "trunc", "sqrt"])):(\(number(depth - 1)))"
        }
        if depth > 0, chance(6) { return "modulus:by:(\(number(depth - 1)), \(number(depth - 1)))" }
        if chance(15) {
            return pick([
                "tags.@count", "author.books.@sum.pages", "shelf.books.@max.rating", "shelf.books.@min.copies",
                "author.books.@avg.pages", "readers.@count", "shelf.books.pages.@sum", "count:(tags)", "length:(title)",
                "sum:(author.books.copies)",
            ])
        }
        if depth > 0, chance(8) { return subquery(depth) }
        if chance(45) {
            return pick([
                "pages", "copies", "stock", "isLent", "rating", "weight", "price", "size.width", "sequel.pages",
                "sequel.rating",
            ])
        }
        return pick([
            "0", "1", "2", "3", "-1", "100", "300", "412", "2.5", "4.5", "0.25", "9223372036854775807",
            "-9223372036854775808", "9223372036854775808", "123456789012345678901234567890", "1e300", "YES", "NO",
            "'3'",
        ])
    }

    private mutating func subquery(_ depth: Int) -> String {
        variables += 1
        let x = "$x\(variables)"
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return "SUBQUERY(tags, \(x), \(x).name \(test(.text, with: .text, 0))).@count"
        case 1: return "SUBQUERY(author.books, \(x), \(x).pages > pages AND \(x) != SELF).@count"
        case 2:
            return
                "SUBQUERY(shelf.books, \(x), ANY \(x).tags.name == 'sand' OR \(x).rating \(test(.number, with: .number, 0))).@count"
        default:
            variables += 1
            let y = "$y\(variables)"
            return "SUBQUERY(tags, \(x), SUBQUERY(\(x).books, \(y), \(y).author == author).@count > 1).@count"
        }
    }

    private mutating func text(_ depth: Int) -> String {
        if depth > 0, chance(15) { return "\(pick(["lowercase", "uppercase"])):(\(text(depth - 1)))" }
        if chance(60) {
            return pick([
                "title", "isbn", "author.name", "author.penName", "shelf.label", "link", "size.unit", "sequel.title",
                "shelf.books.@max.title", "shelf.books.@min.title",
            ])
        }
        return pick(["'Dune'", "'dune'", "'DUNE'", "'Émile'", "'emile'", "'A'", "''", "'ß'", "'x'"])
    }

    private mutating func date(_ depth: Int) -> String {
        if depth > 0, chance(15) { return "(\(date(0)) \(pick(["+", "-"])) \(pick(["5", "1.5", "pages"])))" }
        return pick([
            "published", "sequel.published", "shelf.books.@max.published", "CAST(5, 'NSDate')",
            "'2001-01-01T00:00:05Z'",
            "'2001-01-01'", "'2001-06-01 12:00:00.5 +0200'", "CAST(CAST(published, 'NSNumber') - 5, 'NSDate')",
        ])
    }
}
