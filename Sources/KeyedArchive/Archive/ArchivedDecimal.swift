import Foundation

extension ArchivedObject {
    /// The number of an `NSDecimalNumber`: mantissa words, exponent and sign.
    public var decimal: Decimal? {
        guard let mantissa = node["NS.mantissa"]?.data, mantissa.count >= 2, mantissa.count <= 16,
            let exponent = node["NS.exponent"]?.integer, -128...127 ~= exponent
        else { return nil }
        // The words stand in the byte order of the machine that wrote them: 1 is little endian, 2 big (NXByteOrder).
        let isBig = node["NS.mantissa.bo"]?.integer == 2
        let bytes = [UInt8](mantissa)
        let length = Int(clamping: node["NS.length"]?.integer ?? 8)
        var value = Decimal(0)
        for word in (0..<min(bytes.count / 2, max(0, length))).reversed() {
            let (low, high) = isBig ? (bytes[2 * word + 1], bytes[2 * word]) : (bytes[2 * word], bytes[2 * word + 1])
            value = value * 65536 + Decimal(Int(high) << 8 | Int(low))
        }
        guard -128...127 ~= Int(exponent) + value.exponent, value.isFinite else { return nil }
        let isNegative = node["NS.negative"]?.bool ?? false
        return Decimal(sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: value)
    }
}

extension KeyedArchiver {
    /// Adds an `NSDecimalNumber`: up to eight 16-bit words, least significant first, in little-endian order.
    public mutating func decimal(_ value: Decimal) -> Reference {
        var rest = value.significand.magnitude
        var words: [UInt8] = []
        var length: Int64 = 0
        for _ in 0..<8 {
            var quotient = Decimal()
            var scaled = rest / 65536
            NSDecimalRound(&quotient, &scaled, 0, .down)
            let word = NSDecimalNumber(decimal: rest - quotient * 65536).intValue & 0xFFFF
            words += [UInt8(word & 0xFF), UInt8(word >> 8)]
            if rest != 0 { length += 1 }
            rest = quotient
        }
        return object(
            "NSDecimalNumber", bases: ["NSNumber", "NSValue", "NSObject"],
            [
                "NS.mantissa": .data(Data(words)), "NS.mantissa.bo": .integer(1), "NS.length": .integer(length),
                "NS.exponent": .integer(Int64(value.exponent)), "NS.negative": .bool(value.sign == .minus),
                "NS.compact": .bool(true),
            ])
    }
}
