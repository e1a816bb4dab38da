import Foundation
import SQLite

extension SQLValue {
    /// SQLite's order: NULL, numbers, text by bytes, blobs by bytes.
    public static func compare(_ a: SQLValue, _ b: SQLValue) -> ComparisonResult {
        switch (a, b) {
        case (.integer(let x), .integer(let y)): return order(x, y)
        case (.real(let x), .real(let y)): return order(x, y)
        case (.integer(let x), .real(let y)): return order(x, y)
        case (.real(let x), .integer(let y)):
            switch order(y, x) {
            case .orderedAscending: return .orderedDescending
            case .orderedDescending: return .orderedAscending
            case .orderedSame: return .orderedSame
            }
        case (.text(let x), .text(let y)): return order(Array(x.utf8), Array(y.utf8))
        case (.blob(let x), .blob(let y)): return order(x, y)
        default: return order(a.rank, b.rank)
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }

    /// Exactly: a double does not hold every integer.
    private static func order(_ x: Int64, _ y: Double) -> ComparisonResult {
        if y >= 0x1p63 { return .orderedAscending }
        if y < -0x1p63 { return .orderedDescending }
        let whole = Int64(y)
        if x != whole { return x < whole ? .orderedAscending : .orderedDescending }
        let fraction = y - Double(whole)
        return fraction > 0 ? .orderedAscending : fraction < 0 ? .orderedDescending : .orderedSame
    }

    private static func order<T: Comparable>(_ x: T, _ y: T) -> ComparisonResult {
        x < y ? .orderedAscending : x == y ? .orderedSame : .orderedDescending
    }

    private static func order(_ x: [UInt8], _ y: [UInt8]) -> ComparisonResult {
        x == y ? .orderedSame : x.lexicographicallyPrecedes(y) ? .orderedAscending : .orderedDescending
    }
}
