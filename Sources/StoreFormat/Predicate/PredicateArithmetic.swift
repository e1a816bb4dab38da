import Foundation
import SQLite

/// The functions of predicates that give numbers, computed as SQLite computes: integers stay integers unless they
/// overflow, a division by zero and a missing operand give no value.
public enum PredicateArithmetic {
    /// The operators that SQL has itself, by the names of their selectors.
    public static let operators = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "modulus:by:": "%",
    ]
    /// The functions of one number or two that are registered with SQLite, by the names of their selectors.
    public static let functions = [
        "raise:toPower:": 2, "abs:": 1, "sqrt:": 1, "ceiling:": 1, "floor:": 1, "trunc:": 1,
    ]

    /// The value of an operator or a function; no value for what is none of them.
    public static func value(_ name: String, _ arguments: [SQLValue]) -> SQLValue {
        if arguments.count == 2 { return binary(name, arguments[0], arguments[1]) }
        guard let first = arguments.first, let number = first.doubleValue else { return .null }
        switch name {
        case "abs:":
            // The smallest integer has no positive counterpart.
            if case .integer(let value) = first, value != .min { return .integer(abs(value)) }
            return .real(abs(number))
        case "sqrt:": return number < 0 ? .null : .real(number.squareRoot())
        case "ceiling:": return whole(first, number.rounded(.up))
        case "floor:": return whole(first, number.rounded(.down))
        case "trunc:": return whole(first, number.rounded(.towardZero))
        default: return .null
        }
    }

    private static func whole(_ value: SQLValue, _ rounded: Double) -> SQLValue {
        if case .integer = value { return value }
        return .real(rounded)
    }

    private static func binary(_ name: String, _ a: SQLValue, _ b: SQLValue) -> SQLValue {
        if name == "modulus:by:" { return remainder(a, b) }
        if case .integer(let x) = a, case .integer(let y) = b {
            switch name {
            case "add:to:":
                let (value, overflows) = x.addingReportingOverflow(y)
                if !overflows { return .integer(value) }
            case "from:subtract:":
                let (value, overflows) = x.subtractingReportingOverflow(y)
                if !overflows { return .integer(value) }
            case "multiply:by:":
                let (value, overflows) = x.multipliedReportingOverflow(by: y)
                if !overflows { return .integer(value) }
            case "divide:by:":
                if y == 0 { return .null }
                let (value, overflows) = x.dividedReportingOverflow(by: y)
                if !overflows { return .integer(value) }
            default: break
            }
        }
        guard let x = a.doubleValue, let y = b.doubleValue else { return .null }
        switch name {
        case "add:to:": return real(x + y)
        case "from:subtract:": return real(x - y)
        case "multiply:by:": return real(x * y)
        case "divide:by:": return y == 0 ? .null : real(x / y)
        case "raise:toPower:": return real(pow(x, y))
        default: return .null
        }
    }

    /// Of whole numbers, whatever the operands are.
    private static func remainder(_ a: SQLValue, _ b: SQLValue) -> SQLValue {
        guard let x = integer(a), let y = integer(b), y != 0 else { return .null }
        let value = y == -1 ? 0 : x % y
        if case .integer = a, case .integer = b { return .integer(value) }
        return .real(Double(value))
    }

    private static func integer(_ value: SQLValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .real(let number):
            number.isNaN ? 0 : Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
        default: nil
        }
    }

    /// SQLite has no NaN.
    private static func real(_ value: Double) -> SQLValue { value.isNaN ? .null : .real(value) }
}
