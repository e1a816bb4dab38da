import Foundation

extension Seeds {
    static func textSeeds() -> [String: [Seed]] {
        [
            "predicate": numbered([
                "title == 'Moby-Dick'", "pages > 400 AND (isLent == YES OR NOT title BEGINSWITH[cd] \"a\")",
                "title LIKE '*a?b*' || title MATCHES '[A-Z].*'", "ANY tags.name IN {'a', 'b'}", "author.name != nil",
                "pages BETWEEN {1, 0x10}", "tags.@count >= 2", "SUBQUERY(tags, $t, $t.name CONTAINS 'x').@count == 0",
                "ALL tags.name ENDSWITH 'z'", "NONE tags.name == 'a'", "rating + 2 * (weight - 1) / 3 ** 2 <= -1.5e3",
                "published < CAST(12.5, 'NSDate')", "TRUEPREDICATE", "FALSEPREDICATE AND TRUEPREDICATE",
                "SELF IN {SELF}", "lowercase(title) == 'a'", "price == 0.1 AND link == 'http://a'",
                "author.books.@max.pages > 3", "'a' IN[c] title", "#title == 'x' && @'a' == 'b'", "%K == %@",
                "FUNCTION(pages, 'abs:') == 1", "title[0] == 'a'", "TERNARY(pages > 1, 1, 2) == 1",
            ]),
            "expression": numbered([
                "pages", "count:(books)", "books.@sum.pages", "lowercase:(title)", "now()", "1 + 2",
            ]),
            "object-name": numbered([
                "Book/1", "x-coredata://00000000-0000-0000-0000-000000000000/Book/p12", "Book/-1",
                "00000000-0000-0000-0000-000000000000:1:12", "12", "Book/9223372036854775807", "/", "x-coredata://",
            ]),
            "json": numbered([
                "null", "[true,false,0,-0.0,1e308,-1E-400,18446744073709551615,123456789012345678901234567890]",
                "{\"a\":{\"b\":[]},\"\":\"\\u00e9\\ud83d\\udeb2\\n\\\"\"}", String(repeating: "[", count: 70),
            ]),
            "varlink": numbered([
                "{\"method\":\"org.coexistd.Control.Count\",\"parameters\":{\"entity\":\"Book\"},\"more\":true}\0",
                "{\"parameters\":{\"a\":1},\"continues\":true}\0{\"error\":\"a.b.C\",\"parameters\":{}}\0", "\0\0",
                "{\"method\":\"a.B\",\"oneway\":true}",
            ]),
            "varlink-interface": numbered([
                "# c\ninterface org.a.b\ntype T (a: int, b: ?[]string, c: [string](x: float), d: (one, two))\n"
                    + "method M(a: T) -> (b: object)\nerror E (c: bool)\n"
            ]),
            "configuration": numbered([
                "{\"store\":\"a.sqlite\",\"socket\":\"s\",\"guard\":\"record\",\"ownership\":{\"default\":\"model\","
                    + "\"entities\":{\"A\":\"legacy\"}},\"history\":{\"tracking\":\"on\",\"retention\":1},"
                    + "\"readers\":{\"count\":2},\"cache\":{\"maximumObjects\":1},\"wal\":{\"maximumBytes\":65536},"
                    + "\"access\":{\"observe\":[\"@a\"]},\"limits\":{\"clients\":1},\"log\":{\"level\":\"debug\"}}",
                "{\"stor\":1}",
            ]),
            "value-input": numbered([
                "{\"title\":\"a\",\"pages\":\"12\",\"copies\":9223372036854775807,\"isLent\":\"yes\",\"rating\":1e999,"
                    + "\"price\":\"1.5\",\"published\":\"2001-02-29T00:00:00.123456789Z\",\"identifier\":\"x\","
                    + "\"notes\":{\"$transformable\":\"AA==\"},\"thumbnail\":\"AA==\",\"shelf\":\"Shelf/1\","
                    + "\"tags\":[\"Tag/1\",\"Tag/2\"],\"author\":null}",
                "{\"published\":\"-0001-01-01\"}", "{\"tags\":\"Tag/1,Tag/2\",\"pages\":-1}",
            ]),
        ]
    }
}
