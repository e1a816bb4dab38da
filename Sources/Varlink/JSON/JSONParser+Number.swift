extension JSONParser {
    /// The powers of ten that a double holds exactly.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// Parses a number by the grammar of RFC 8259, section 6.
    mutating func parseNumber() throws(JSONError) -> JSON {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }

        var mantissa: UInt64 = 0
        var overflows = false
        let firstDigit = position
        takeDigits(into: &mantissa, &overflows)
        let digits = position - firstDigit
        guard digits > 0 else { throw position < bytes.count ? JSONError(.invalidNumber, at: start) : unexpected() }
        guard digits == 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
            throw JSONError(.invalidNumber, at: start)
        }

        var exponent = 0
        var isWhole = true
        if current == UInt8(ascii: ".") {
            isWhole = false
            position += 1
            let point = position
            takeDigits(into: &mantissa, &overflows)
            guard position > point else { throw JSONError(.invalidNumber, at: start) }
            exponent -= position - point
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            isWhole = false
            position += 1
            exponent += try takeExponent(of: start)
        }

        if isWhole, !overflows {
            if !isNegative { return JSON(mantissa) }
            if mantissa <= UInt64(Int64.max) { return .integer(-Int64(mantissa)) }
            if mantissa == UInt64(Int64.max) + 1 { return .integer(.min) }
        }
        // Both operands are exact, so one operation rounds correctly (Clinger's fast path).
        if !overflows, mantissa < 1_000_000_000_000_000, abs(exponent) <= 22 {
            let magnitude = Double(mantissa)
            let power = Self.exactPowers[abs(exponent)]
            let value = exponent < 0 ? magnitude / power : magnitude * power
            return .double(isNegative ? -value : value)
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw JSONError(.numberOutOfRange, at: start) }
        let spelled = Self.significant(text)
        // Any double tells numbers of 15 digits apart.
        return spelled.count <= 15 || spelled == Self.significant(value.description) ? .double(value) : .number(text)
    }

    /// The digits that make the number, without its sign, point and exponent.
    private static func significant(_ text: String) -> [UInt8] {
        let zero = UInt8(ascii: "0")
        let digits = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }.filter { zero...zero + 9 ~= $0 }
        guard let end = digits.lastIndex(where: { $0 != zero }) else { return [] }
        return Array(digits[...end].drop { $0 == zero })
    }

    private mutating func takeDigits(into mantissa: inout UInt64, _ overflows: inout Bool) {
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { return }
            let (scaled, first) = mantissa.multipliedReportingOverflow(by: 10)
            let (sum, second) = scaled.addingReportingOverflow(UInt64(digit))
            if first || second { overflows = true }
            mantissa = sum
            position += 1
        }
    }

    /// The exponent after its `e`, cut off where its size no longer matters.
    private mutating func takeExponent(of start: Int) throws(JSONError) -> Int {
        let isNegative = current == UInt8(ascii: "-")
        if isNegative || current == UInt8(ascii: "+") { position += 1 }
        let first = position
        var value = 0
        while position < bytes.count {
            let digit = bytes[position] &- UInt8(ascii: "0")
            guard digit <= 9 else { break }
            value = min(value * 10 + Int(digit), 1_000_000)
            position += 1
        }
        guard position > first else { throw JSONError(.invalidNumber, at: start) }
        return isNegative ? -value : value
    }
}
