import SQLite

/// Many values as one parameter of a statement: SQLite takes 32,766 parameters, and a list can be longer.
public struct ValueList {
    /// The parameter's value: a JSON array.
    public let parameter: SQLValue
    private let isPlain: Bool

    /// From this length on a list is handed over as one parameter: the statement's text is then the same for every list.
    public static let minimumCount = 100

    /// A list of single values. Missing values are left out: nothing is equal to them.
    public init(_ values: [SQLValue]) {
        let isPlain = values.allSatisfy { Self.isPlain($0) }
        var json = Array("[".utf8)
        json.reserveCapacity(values.count * 12)
        for value in values where !value.isNull {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            if isPlain { Self.appendPlain(value, to: &json) } else { Self.append(value, to: &json) }
        }
        json.append(UInt8(ascii: "]"))
        self.isPlain = isPlain
        parameter = .text(String(decoding: json, as: UTF8.self))
    }

    /// The subquery that gives the values, with the parameter's placeholder.
    public func sql(_ placeholder: String) -> String {
        "(SELECT \(isPlain ? "value" : "\(PredicateFunctions.element)(value)") FROM json_each(\(placeholder)))"
    }

    /// Whether JSON has the value as it is: it has neither every double nor every text.
    private static func isPlain(_ value: SQLValue) -> Bool {
        switch value {
        case .null, .integer: true
        case .text(let text):
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        case .real, .blob: false
        }
    }

    private static func appendPlain(_ value: SQLValue, to json: inout [UInt8]) {
        if case .integer(let number) = value { json += Array("\(number)".utf8) }
        if case .text(let text) = value { json += Array("\"\(text)\"".utf8) }
    }

    /// A letter for the class, and the value in digits.
    private static func append(_ value: SQLValue, to json: inout [UInt8]) {
        json.append(UInt8(ascii: "\""))
        switch value {
        case .null: break
        case .integer(let value): json += Array("i\(value)".utf8)
        case .real(let value): json += Array("r\(String(value.bitPattern, radix: 16))".utf8)
        case .text(let text): appendBytes("t", text.utf8, to: &json)
        case .blob(let bytes): appendBytes("b", bytes, to: &json)
        }
        json.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func appendBytes(_ letter: String, _ bytes: some Sequence<UInt8>, to json: inout [UInt8]) {
        json += Array(letter.utf8)
        for byte in bytes {
            json.append(digits[Int(byte >> 4)])
            json.append(digits[Int(byte & 15)])
        }
    }

    static func element(_ text: String) -> SQLValue {
        let rest = text.dropFirst()
        switch text.first {
        case "i": return Int64(rest).map { .integer($0) } ?? .null
        case "r": return UInt64(rest, radix: 16).map { .real(Double(bitPattern: $0)) } ?? .null
        case "t": return .text(String(decoding: bytes(rest.utf8), as: UTF8.self))
        case "b": return .blob(bytes(rest.utf8))
        default: return .null
        }
    }

    private static func bytes(_ digits: Substring.UTF8View) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            let value = digit < 0x3A ? digit - 0x30 : digit - 0x57
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return result
    }
}
