import Foundation
import StoreModel
import TestKit
import Testing

/// Every text operator under every option, over texts of many scripts: the same in the SQL of either stack and in memory,
/// and as Python's `unicodedata` and `casefold` have it.
@Suite struct UnicodePredicateTests {
    static let texts = [
        "", "a", "A", "ab", "AB", "Ab c", "Pakistan", "PAKISTAN", "pakistan", "lodz", "Łódź", "łódź", "Привет",
        "ПРИВЕТ",
        "привет", "Й", "И\u{306}", "é", "É", "e\u{301}", "E\u{301}", "e", "cafe\u{301}", "CAFÉ", "ñandú", "i", "I", "İ",
        "ı",
        "istanbul", "İSTANBUL", "Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "σίσυφος", "日本語", "한국", "😀x", "ﬁn", "FIN", "ö̲",
        "\u{212B}",
        "Å", "a.c", "a*c", "line\nbreak",
    ]
    static let patterns = ["a", "PAKISTAN", "ПРИВ", "É", "e\u{301}", "lodz", "I", "ss", "σίσυφος", "fin", "å", "本", ""]
    static let operators = [
        "==", "!=", "<", ">=", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES", "IN",
    ]
    static let options = ["", "c", "d", "cd", "n", "cn"]

    /// What Python makes of it: reads the texts and questions as JSON, prints the indexes that each finds.
    private static let script = #"""
        import json, re, sys, unicodedata as u
        def fold(s, o):
            if 'n' in o or not o: return s
            s = u.normalize('NFD', s)
            if 'c' in o: s = u.normalize('NFD', s.casefold())
            if 'd' in o: s = ''.join(c for c in s if u.category(c) != 'Mn')
            return u.normalize('NFC', s)
        def like(s, p):
            return re.fullmatch(re.escape(p).replace(r'\*', '.*'), s, re.S) is not None
        def holds(s, op, p, o):
            if op == 'MATCHES':
                if 'n' in o: o = ''
                s, p = (fold(s, 'd'), fold(p, 'd')) if 'd' in o else (s, p)
                return re.fullmatch('.*' + re.escape(p) + '.*', s, re.I if 'c' in o else 0) is not None
            s, p = fold(s, o), fold(p, o)
            a, b = s.encode(), p.encode()
            return {'==': a == b, '!=': a != b, '<': a < b, '>=': a >= b, 'BEGINSWITH': a.startswith(b),
                    'CONTAINS': b in a, 'ENDSWITH': a.endswith(b), 'LIKE': like(s, p + '*'), 'IN': a == b}[op]
        task = json.load(sys.stdin)
        print(json.dumps([[i for i, s in enumerate(task['texts']) if holds(s, q['op'], q['pattern'], q['options'])]
                          for q in task['questions']]))
        """#

    struct Question: Codable {
        var op: String
        var options: String
        var pattern: String

        var node: PredicateNode {
            get throws {
                let brackets = options.isEmpty ? "" : "[\(options)]"
                let argument: PredicateArgument =
                    switch op {
                    case "LIKE": .value(.string(pattern + "*"))
                    case "MATCHES": .value(.string(".*\(NSRegularExpression.escapedPattern(for: pattern)).*"))
                    case "IN": .list([.value(.string(pattern)), .value(.string("no such text"))])
                    default: .value(.string(pattern))
                    }
                return try PredicateNode.parse("label \(op)\(brackets) %@", arguments: [argument])
            }
        }
    }

    private struct Task: Encodable {
        var texts: [String]
        var questions: [Question]
    }

    @Test func everyOperatorUnderEveryOptionFindsTheTextsThatPythonFinds() throws {
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        for text in Self.texts { _ = sample.insert("Shelf", ["label": text]) }
        try sample.save()
        let questions = Self.operators.flatMap { op in
            Self.options.flatMap { options in
                Self.patterns.map { Question(op: op, options: options, pattern: $0) }
            }
        }
        let python = try #require(Programs.find("python3"), "python3 is not installed")
        let task = try JSONEncoder().encode(Task(texts: Self.texts, questions: questions))
        let result = try Programs.run(python, ["-c", Self.script], input: String(decoding: task, as: UTF8.self))
        #expect(result.exitCode == 0, "\(result.errors)")
        let expected = try JSONDecoder().decode([[Int64]].self, from: Data(result.output.utf8))
        try #require(expected.count == questions.count)
        for (question, indexes) in zip(questions, expected) {
            guard case .keys(let keys) = try sample.agreed(question.node, of: "Shelf") else {
                Issue.record("\(question) is refused")
                continue
            }
            // Of letters that case turns into several, Python's patterns know less; and it has no notion of a character
            // of several code points, of which LIKE takes all or none.
            let isByCharacter = ["LIKE", "MATCHES"].contains(question.op) && question.options.contains("c")
            let known = { (key: Int64) in !isByCharacter || !Self.texts[Int(key) - 1].contains { "İıßﬁ".contains($0) } }
            #expect(keys.filter(known) == indexes.map { $0 + 1 }.filter(known), "\(question)")
        }
    }

    /// What the options do not do: `Ł` has no decomposition, and no language's own rules for `i` hold.
    @Test(arguments: [
        ("'Łódź' ==[cd] 'lodz'", false), ("'Łódź' ==[cd] 'łodz'", true), ("'ı' ==[c] 'I'", false),
        ("'İ' ==[c] 'i'", false), ("'İ' ==[cd] 'i'", true), ("'I' ==[c] 'i'", true), ("'I' ==[cl] 'i'", true),
        ("'STRASSE' ==[c] 'straße'", true), ("'é' == 'e\u{301}'", false), ("'é' ==[c] 'e\u{301}'", true),
        ("'É' ==[cn] 'é'", false),
    ])
    func theOptionsDoNoMore(text: String, holds: Bool) throws {
        let sample = try PredicateSample()
        defer { sample.bridge.close() }
        _ = sample.insert("Shelf", [:])
        try sample.save()
        #expect(try sample.agreed(text, of: "Shelf") == .keys(holds ? [1] : []))
    }
}
