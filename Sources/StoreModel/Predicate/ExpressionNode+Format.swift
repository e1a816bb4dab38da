import Foundation

extension ExpressionNode {
    /// The expression in NSExpression's format language; what the version hash of a derived attribute takes
    /// (Format, section 9).
    public var formatString: String { formatString(within: 0) }

    /// How close an operator binds; 0 is no operator around.
    private static let operators: [String: (symbol: String, strength: Int)] = [
        "add:to:": ("+", 1), "from:subtract:": ("-", 1), "multiply:by:": ("*", 2), "divide:by:": ("/", 2),
        "modulus:by:": ("%%", 2), "raise:toPower:": ("**", 3),
    ]

    private static let indexes = ["first:": "FIRST", "last:": "LAST", "size:": "SIZE"]

    private func formatString(within strength: Int) -> String {
        switch self {
        case .evaluatedObject: return "SELF"
        case .keyPath(let parts): return Self.path(parts)
        case .constant(let value): return value.predicateFormat(negativeInParentheses: strength > 0)
        case .objectURI(let uri): return PredicateCast.format(uri.predicateLiteral, "NSManagedObjectID")
        case .aggregate(let elements): return "{\(Self.joined(elements))}"
        case .variable(let name, let keyPath): return "$\(name)\(Self.suffix(keyPath))"
        case .subquery(let source, let variable, let predicate, let keyPath):
            let inner = "\(source.formatString), $\(variable), \(predicate.formatString)"
            return "SUBQUERY(\(inner))\(Self.suffix(keyPath))"
        case .conditional(let condition, let yes, let no):
            return "TERNARY(\(condition.formatString), \(yes.formatString), \(no.formatString))"
        case .function(let name, let arguments):
            return Self.function(name, arguments, within: strength)
        case .archived(let part): return part.formatString
        }
    }

    private static func function(_ name: String, _ arguments: [ExpressionNode], within strength: Int) -> String {
        if let (symbol, own) = operators[name], arguments.count == 2 {
            // Equal strength groups from the left, powers from the right.
            let isPower = name == "raise:toPower:"
            let left = arguments[0].formatString(within: isPower ? own + 1 : own)
            let right = arguments[1].formatString(within: isPower ? own : own + 1)
            let text = "\(left) \(symbol) \(right)"
            return own < strength ? "(\(text))" : text
        }
        // Nothing but names and calls may stand before a bracket.
        if let word = indexes[name], arguments.count == 1 { return "\(arguments[0].formatString(within: 9))[\(word)]" }
        if name == "objectFrom:withIndex:", arguments.count == 2 {
            return "\(arguments[0].formatString(within: 9))[\(arguments[1].formatString)]"
        }
        return "\(name)(\(joined(arguments)))"
    }

    private static func joined(_ elements: [ExpressionNode]) -> String {
        elements.map(\.formatString).joined(separator: ", ")
    }

    private static func path(_ parts: [String]) -> String {
        parts.enumerated().map { index, part in
            index == 0 && PredicateParser.reserved.contains(part.uppercased()) ? "#" + part : key(part)
        }.joined(separator: ".")
    }

    private static func suffix(_ parts: [String]) -> String {
        parts.map { "." + key($0) }.joined()
    }

    /// A key, marked where it does not begin as a name does, such as one with a digit at its start.
    private static func key(_ part: String) -> String {
        guard let first = part.unicodeScalars.first, first != "@", !PredicateLexer.startsName(first) else {
            return part
        }
        return "#" + part
    }
}

extension ModelValue {
    /// The value as a literal of the format language.
    func predicateFormat(negativeInParentheses: Bool = false) -> String {
        switch self {
        case .null: "nil"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): value < 0 && negativeInParentheses ? "(\(value))" : "\(value)"
        case .double(let value): value < 0 && negativeInParentheses ? "(\(value))" : "\(value)"
        case .decimal(let value): PredicateCast.format("\"\(value)\"", "NSDecimalNumber")
        case .string(let value): value.predicateLiteral
        case .date(let value): PredicateCast.format("\(value.timeIntervalSinceReferenceDate)", "NSDate")
        case .data(let value): PredicateCast.format("\"\(value.base64EncodedString())\"", "NSData")
        case .uuid(let value): PredicateCast.format("\"\(value.uuidString)\"", "NSUUID")
        case .url(let value): PredicateCast.format(value.predicateLiteral, "NSURL")
        case .array(let values): "{\(values.map { $0.predicateFormat() }.joined(separator: ", "))}"
        case .dictionary: PredicateCast.format(keyedArchive ?? Data(), "NSDictionary")
        case .archived(let className, let archive): PredicateCast.format(archive, className)
        }
    }
}

extension String {
    /// The text in double quotes with what must be escaped escaped.
    var predicateLiteral: String {
        var out = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": out += "\\\(scalar)"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }
}
