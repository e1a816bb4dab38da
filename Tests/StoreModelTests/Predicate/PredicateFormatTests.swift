import Foundation
import Testing

@testable import StoreModel

@Suite struct PredicateFormatTests {
    @Test(arguments: [
        "a == 1", "a == 1 AND b != 2 AND c < 3", "a == 1 OR b == 2 AND c == 3", "(a == 1 OR b == 2) AND c == 3",
        "NOT (a == 1 AND b == 2)", "NOT a == 1", "NOT NOT a == 1", "ANY books.pages >= 3", "NONE a LIKE[cd] \"x*\"",
        "TRUEPREDICATE", "FALSEPREDICATE", "a == nil", "a == TRUE", "#in == 5", "SELF IN {1, 2, \"x\"}",
        "a + 1 - 2 == b * (3 + c) / 2", "a - (b - c) == 1", "2 ** 3 ** a == (2 ** 3) ** a", "(-1) + a == -1",
        "SUBQUERY(books, $b, $b.pages > 9 AND NOT $b.x == 1).@count > 2", "count:(pages) > 3", "now() > a",
        "a == CAST(12.5, \"NSDate\")", "CAST(a, \"NSDate\") == $x.y", "a[FIRST] == b[0]", "a BETWEEN {1, 2.5}",
        "a == \"quote \\\" back \\\\ line \\n\"", "FUNCTION(a, \"b:\", 1) == 2", "{a, b} == c", "a == 1e+20",
        "a == CAST(\"12.34\", \"NSDecimalNumber\")",
        "a == CAST(\"0E5F7B2C-1D9A-4E63-8F44-0A1B2C3D4E5F\", \"NSUUID\")",
        "(a == 1 AND b == 2) AND c == 3", "a %% 2 == 1", "uppercase:(a.b) == \"X\"",
    ])
    func whatIsPrintedReadsBackEqual(_ format: String) throws {
        let node = try PredicateNode.parse(format)
        #expect(node.formatString == format)
        #expect(try PredicateNode.parse(node.formatString) == node)
    }

    @Test func aConstantDataReadsBackEqual() throws {
        let node = PredicateNode.comparison(
            .init(.keyPath(["a"]), .equal, .constant(.data(Data([0, 1, 255])))))
        #expect(try PredicateNode.parse(node.formatString) == node)
    }
}
