import SQLite
import StoreModel

/// The SQL functions that compiled predicates call, the same in both stacks.
public enum PredicateFunctions {
    /// `match(number of the operator, options, text, pattern)`.
    public static let match = "COEXIST_MATCH"
    /// `fold(text, options)`: the text in the form that comparisons under the options are made in.
    public static let fold = "COEXIST_FOLD"
    /// `element(value)`: an element of a list that was handed over as one parameter; see `list(_:_:)`.
    static let element = "COEXIST_ELEMENT"
    /// The functions of one text, by the names of their selectors.
    public static let ofText = [
        "lowercase:": "COEXIST_LOWER", "uppercase:": "COEXIST_UPPER", "length:": "COEXIST_LENGTH",
    ]
    private static let operators: [TextMatch.Operator] = [.beginsWith, .endsWith, .contains, .like, .matches]

    /// The name in SQL of a function of numbers.
    static func name(_ selector: String) -> String {
        "COEXIST_" + selector.prefix { $0 != ":" }.uppercased()
    }

    /// A call of a function of numbers or of a text; nil for what is none.
    public static func call(_ selector: String, _ arguments: [String]) -> String? {
        if let symbol = PredicateArithmetic.operators[selector], arguments.count == 2 {
            return "(\(arguments[0]) \(symbol) \(arguments[1]))"
        }
        if PredicateArithmetic.functions[selector] == arguments.count {
            return "\(name(selector))(\(arguments.joined(separator: ", ")))"
        }
        if let function = ofText[selector], arguments.count == 1 { return "\(function)(\(arguments[0]))" }
        return nil
    }

    /// The condition that a text operator holds.
    public static func condition(
        _ text: String, _ operator: TextMatch.Operator, _ pattern: String, _ options: TextMatch.Options
    ) -> String {
        guard let number = operators.firstIndex(of: `operator`) else { return "0" }
        return "\(match)(\(number), \(options.rawValue), \(text), \(pattern))"
    }

    /// What a function of one text gives in memory.
    public static func value(_ selector: String, _ text: String) -> SQLValue {
        switch selector {
        case "lowercase:": .text(text.lowercased())
        case "uppercase:": .text(text.uppercased())
        case "length:": .integer(Int64(text.unicodeScalars.count))
        default: .null
        }
    }

    /// Registers them on a connection.
    public static func register(on connection: Connection) throws {
        try connection.createFunction(match, argumentCount: 4) { arguments in
            guard let number = arguments[0].integerValue, operators.indices.contains(Int(number)),
                let options = arguments[1].integerValue, case .text(let text) = arguments[2],
                case .text(let pattern) = arguments[3]
            else { return .null }
            let found = TextMatch.matches(text, operators[Int(number)], pattern, .init(rawValue: Int(options)))
            return .integer(found ? 1 : 0)
        }
        try connection.createFunction(fold, argumentCount: 2) { arguments in
            guard case .text(let text) = arguments[0], let options = arguments[1].integerValue else {
                return arguments[0]
            }
            return .text(TextMatch.fold(text, .init(rawValue: Int(options))))
        }
        for (selector, function) in ofText {
            try connection.createFunction(function, argumentCount: 1) { arguments in
                guard case .text(let text) = arguments[0] else { return .null }
                return value(selector, text)
            }
        }
        for (selector, count) in PredicateArithmetic.functions {
            try connection.createFunction(name(selector), argumentCount: count) {
                PredicateArithmetic.value(selector, $0)
            }
        }
        try connection.createFunction(element, argumentCount: 1) { arguments in
            arguments[0].textValue.map { ValueList.element($0) } ?? .null
        }
    }
}
