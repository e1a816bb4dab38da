import Foundation
import Testing

@testable import StoreModel

@Suite struct PredicateParserTests {
    private func key(_ path: String) -> ExpressionNode { .keyPath(path.split(separator: ".").map(String.init)) }
    private func int(_ value: Int64) -> ExpressionNode { .constant(.integer(value)) }

    @Test(arguments: [
        ("a = 1", PredicateNode.Comparison.Operator.equal), ("a == 1", .equal), ("a != 1", .notEqual),
        ("a <> 1", .notEqual),
        ("a < 1", .less), ("a <= 1", .lessOrEqual), ("a =< 1", .lessOrEqual), ("a > 1", .greater),
        ("a >= 1", .greaterOrEqual), ("a => 1", .greaterOrEqual), ("a beginswith 1", .beginsWith),
        ("a ENDSWITH 1", .endsWith), ("a CONTAINS 1", .contains), ("a LIKE 1", .like), ("a MATCHES 1", .matches),
        ("a IN 1", .in),
    ])
    func everySpellingOfAnOperatorIsRead(_ format: String, _ expected: PredicateNode.Comparison.Operator) throws {
        #expect(try PredicateNode.parse(format) == .comparison(.init(key("a"), expected, int(1))))
    }

    @Test func optionsInBracketsAreRead() throws {
        let node = try PredicateNode.parse("name BEGINSWITH[cdnl] 'x'")
        let all: PredicateNode.Comparison.Options = [
            .caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive,
        ]
        #expect(node == .comparison(.init(key("name"), .beginsWith, .constant(.string("x")), options: all)))
        #expect(
            try PredicateNode.parse("name ==[c] 'x'")
                == .comparison(
                    .init(key("name"), .equal, .constant(.string("x")), options: .caseInsensitive)))
    }

    @Test func andBindsCloserThanOrAndNotCloserThanBoth() throws {
        let (a, b, c) = (one("a"), one("b"), one("c"))
        #expect(try PredicateNode.parse("a = 1 OR b = 1 AND NOT c = 1") == .or([a, .and([b, .not(c)])]))
        #expect(try PredicateNode.parse("(a = 1 || b = 1) && !(c = 1)") == .and([.or([a, b]), .not(c)]))
    }

    private func one(_ name: String) -> PredicateNode { .comparison(.init(key(name), .equal, int(1))) }

    @Test func aParenthesisMayHoldAnExpressionOrAPredicate() throws {
        let sum = ExpressionNode.function("add:to:", [key("a"), int(1)])
        let expected = PredicateNode.comparison(.init(.function("multiply:by:", [sum, int(2)]), .greater, int(3)))
        #expect(try PredicateNode.parse("((a + 1)) * 2 > 3") == expected)
        #expect(try PredicateNode.parse("(((a + 1) * 2 > (3)))") == expected)
    }

    @Test func arithmeticFollowsItsPrecedence() throws {
        #expect(
            try ExpressionNode.parse("1 - 2 - 3")
                == .function(
                    "from:subtract:", [.function("from:subtract:", [int(1), int(2)]), int(3)]))
        #expect(
            try ExpressionNode.parse("1 + 2 * 3 ** 4 / 5")
                == .function(
                    "add:to:",
                    [
                        int(1),
                        .function(
                            "divide:by:",
                            [
                                .function("multiply:by:", [int(2), .function("raise:toPower:", [int(3), int(4)])]),
                                int(5),
                            ]),
                    ]))
        #expect(try ExpressionNode.parse("-a") == .function("from:subtract:", [int(0), key("a")]))
    }

    @Test func modifiersStandInFront() throws {
        #expect(
            try PredicateNode.parse("ANY books.pages > 3")
                == .comparison(
                    .init(key("books.pages"), .greater, int(3), modifier: .any)))
        #expect(try PredicateNode.parse("SOME a = 1") == .comparison(.init(key("a"), .equal, int(1), modifier: .any)))
        #expect(try PredicateNode.parse("all a = 1") == .comparison(.init(key("a"), .equal, int(1), modifier: .all)))
        #expect(try PredicateNode.parse("NONE a = 1") == .comparison(.init(key("a"), .equal, int(1), modifier: .none)))
    }

    @Test(arguments: [
        ("0", ModelValue.integer(0)), ("-7", .integer(-7)), ("0x1F", .integer(31)), ("0b101", .integer(5)),
        ("0o17", .integer(15)), ("1.5", .double(1.5)), (".5", .double(0.5)), ("-2.5e-3", .double(-0.0025)),
        ("1e3", .double(1000)), ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
        ("'a\\'b'", .string("a'b")), ("\"x\\n\\u00e9\\\\\"", .string("x\né\\")), ("YES", .bool(true)),
        ("true", .bool(true)), ("no", .bool(false)), ("FALSE", .bool(false)), ("nil", .null), ("NULL", .null),
        ("CAST(100, 'NSDate')", .date(Date(timeIntervalSinceReferenceDate: 100))),
    ])
    func literalsAreRead(_ format: String, _ expected: ModelValue) throws {
        #expect(try ExpressionNode.parse(format) == .constant(expected))
    }

    @Test func keyPathsFunctionsAndVariablesAreRead() throws {
        #expect(try ExpressionNode.parse("pages.@count") == .keyPath(["pages", "@count"]))
        #expect(try ExpressionNode.parse("a.@sum.b") == .keyPath(["a", "@sum", "b"]))
        #expect(try ExpressionNode.parse("#in.size") == .keyPath(["in", "size"]))
        #expect(try ExpressionNode.parse("SELF") == .evaluatedObject)
        #expect(try ExpressionNode.parse("self.entity") == .keyPath(["entity"]))
        #expect(try ExpressionNode.parse("$FETCH_SOURCE.alias") == .variable("FETCH_SOURCE", keyPath: ["alias"]))
        #expect(try ExpressionNode.parse("count:(pages)") == .function("count:", [key("pages")]))
        #expect(try ExpressionNode.parse("sum({1, 2})") == .function("sum:", [.aggregate([int(1), int(2)])]))
        #expect(try ExpressionNode.parse("modulus:by:(a, 2)") == .function("modulus:by:", [key("a"), int(2)]))
        #expect(try ExpressionNode.parse("now()") == .function("now", []))
        #expect(
            try ExpressionNode.parse("CAST(a, 'NSDate')")
                == .function(
                    "CAST", [key("a"), .constant(.string("NSDate"))]))
        #expect(try ExpressionNode.parse("names[LAST]") == .function("last:", [key("names")]))
    }

    @Test func subqueriesAreRead() throws {
        let node = try PredicateNode.parse("SUBQUERY(books, $b, $b.pages > 9 AND $b.title = 'x').@count >= 2")
        let inner = PredicateNode.and([
            .comparison(.init(.variable("b", keyPath: ["pages"]), .greater, int(9))),
            .comparison(.init(.variable("b", keyPath: ["title"]), .equal, .constant(.string("x")))),
        ])
        #expect(
            node
                == .comparison(
                    .init(.subquery(key("books"), variable: "b", inner, keyPath: ["@count"]), .greaterOrEqual, int(2))))
    }

    @Test func placeholdersTakeArgumentsInOrder() throws {
        let node = try PredicateNode.parse(
            "ANY %K.%K IN %@ AND n BETWEEN {%d, %lf} AND owner = %@ AND t = '%@'",
            arguments: [
                .keyPath("a.b"), .keyPath("c"), .list([.value(.integer(1)), .objectURI("x-coredata://U/E/p1")]),
                .value(.integer(3)), .value(.double(4.5)), .objectURI("x-coredata://U/E/p2"),
            ])
        #expect(
            node
                == .and([
                    .comparison(
                        .init(
                            key("a.b.c"), .in, .aggregate([int(1), .objectURI("x-coredata://U/E/p1")]), modifier: .any)),
                    .comparison(.init(key("n"), .between, .aggregate([int(3), .constant(.double(4.5))]))),
                    .comparison(.init(key("owner"), .equal, .objectURI("x-coredata://U/E/p2"))),
                    .comparison(.init(key("t"), .equal, .constant(.string("%@")))),
                ]))
    }

    @Test(arguments: [
        ("", 0, "a key path, a value or `(`"), ("a", 1, "a comparison operator"),
        ("a = ", 4, "a key path, a value or `(`"),
        ("a = 1 b", 6, "AND, OR or the end"), ("(a = 1", 6, "`)`"), ("a = 'x", 4, "a closing '"),
        ("a =[z] 1", 4, "only the options c, d, n and l"), ("a = %@", 4, "an argument for `%@`"),
        ("a = 12x", 6, "a digit or the number's end"), ("a BETWEEN {1}", 10, "two bounds behind BETWEEN"),
        ("in = 1", 0, "a key path or a value (write `#in` for the key)"), ("a = {1, 2", 9, "`,` or `}`"),
        ("a ? 1", 2, "a name, a value or an operator"),
    ])
    func anErrorNamesPositionAndExpectation(_ format: String, _ position: Int, _ expected: String) throws {
        let error = #expect(throws: PredicateSyntaxError.self) { try PredicateNode.parse(format) }
        #expect(error?.position == position)
        #expect(error?.expected == expected)
    }

    @Test func argumentsThatAreLeftOverAreRefused() {
        #expect(throws: PredicateSyntaxError.self) {
            try PredicateNode.parse("a = 1", arguments: [.value(.integer(1))])
        }
        #expect(throws: PredicateSyntaxError.self) {
            try PredicateNode.parse("%K = 1", arguments: [.value(.integer(1))])
        }
    }

    @Test func depthIsBounded() {
        for (open, close) in [("(", ")"), ("NOT ", ""), ("-", ""), ("{", "}"), ("abs:(", ")"), ("2 ** ", "")] {
            let deep = String(repeating: open, count: 3_000) + "a" + String(repeating: close, count: 3_000)
            #expect(throws: PredicateSyntaxError.self) { try PredicateNode.parse(deep + " = 1") }
        }
        let long = Array(repeating: "a", count: 3_000)
        #expect(throws: PredicateSyntaxError.self) { try PredicateNode.parse(long.joined(separator: " + ") + " = 1") }
        #expect(throws: PredicateSyntaxError.self) {
            try PredicateNode.parse("a" + String(repeating: "[0]", count: 3_000))
        }
    }
}
