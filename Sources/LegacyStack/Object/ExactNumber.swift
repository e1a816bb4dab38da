import Foundation
import StoreFormat

/// Numbers of any kind as the kind that an attribute holds, where that loses nothing.
enum ExactNumber {
    /// The integer; nil for a fraction, and for what needs more than 64 bits.
    static func integer(_ object: Any) -> Int64? {
        if let integer = object as? any BinaryInteger { return Int64(exactly: integer) }
        if let decimal = object as? NSDecimalNumber { return Int64(decimal.stringValue) }
        guard let number = object as? NSNumber else { return nil }
        switch String(cString: number.objCType) {
        case "Q", "L": return Int64(exactly: number.uint64Value)
        case "f", "d": return Int64(exactly: number.doubleValue)
        default: return number.int64Value
        }
    }

    /// The double; nil for an integer that none holds.
    static func double(_ object: Any) -> Double? {
        guard let number = object as? NSNumber else { return nil }
        guard !(number is NSDecimalNumber), !["f", "d"].contains(String(cString: number.objCType)) else {
            return number.doubleValue
        }
        return Double(exactly: number.int64Value)
    }

    /// The decimal: of a double the one with the shortest digits that read back as it.
    static func decimal(_ object: Any) -> Decimal? {
        guard let number = object as? NSNumber else { return nil }
        guard !(number is NSDecimalNumber), ["f", "d"].contains(String(cString: number.objCType)) else {
            return number.decimalValue
        }
        return ValueCoding.decimal(.real(number.doubleValue))
    }
}
