/// A value in one of SQLite's five storage classes.
public enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Whether this is NULL.
    public var isNull: Bool {
        if case .null = self { return true }
        return false
    }

    /// The integer, or a real without fraction as one.
    public var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }

    /// The number as a double.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let value): value
        default: nil
        }
    }

    /// Whether SQLite takes both for the same: an integer and a real by their value, and NULL for itself.
    public func isSame(as other: SQLValue) -> Bool {
        switch (self, other) {
        case (.integer(let x), .real(let y)), (.real(let y), .integer(let x)): Int64(exactly: y) == x
        default: self == other
        }
    }

    /// The text; nil for another class.
    public var textValue: String? {
        if case .text(let value) = self { return value }
        return nil
    }

    /// The bytes; nil for another class.
    public var blobValue: [UInt8]? {
        if case .blob(let value) = self { return value }
        return nil
    }
}

extension SQLValue {
    /// Whether both are of one class and hold the same, texts byte by byte: `String` takes texts for equal that differ in
    /// how their characters are composed, and a column can be changed from one to the other.
    public static func == (a: SQLValue, b: SQLValue) -> Bool {
        switch (a, b) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a == b
        case (.text(let a), .text(let b)): a == b && a.utf8.elementsEqual(b.utf8)
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }
}

extension SQLValue {
    /// Whether a column that holds the other value would hold this one: whole reals come back from columns of numeric
    /// affinity as integers.
    public func isStored(as other: SQLValue) -> Bool {
        switch (self, other) {
        case (.real(let real), .integer(let integer)), (.integer(let integer), .real(let real)):
            Int64(exactly: real) == integer
        default: self == other
        }
    }
}

// Not by nil: `scalar(…) == nil` would then compare with NULL.
extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// An INTEGER.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A REAL.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// A TEXT.
    public init(stringLiteral value: String) { self = .text(value) }
}
