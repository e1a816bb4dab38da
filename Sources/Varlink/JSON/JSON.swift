/// A JSON value.
///
/// Integers stay exact over the whole range of `Int64` and `UInt64`: nothing passes through a double. A number is
/// an `integer` where it fits `Int64`, `unsigned` only above that, and a `double` where its text has a fraction or
/// an exponent, or lies outside both integer ranges, and a `number` where no double has all of its text's digits.
///
/// Equality is by kind and value: `.integer(1)` differs from `.double(1)`. Objects are equal whatever the order of
/// their keys.
public enum JSON: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A whole number within `Int64`.
    case integer(Int64)
    /// A whole number above `Int64.max`. Make one with ``init(_:)-(UInt64)``, which takes `integer` where it fits.
    case unsigned(UInt64)
    /// Any other number. A NaN or an infinity has no JSON form and is written as `null`.
    case double(Double)
    /// A number of more digits than a double keeps, as its text. Only parsing makes one; its `doubleValue` is rounded.
    case number(String)
    /// Text.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Named values, in the order of their insertion.
    case object(JSONObject)

    /// The value of a whole number, as `integer` where it fits, else `unsigned`.
    public init(_ value: UInt64) {
        self = Int64(exactly: value).map(JSON.integer) ?? .unsigned(value)
    }

    /// The value of a whole number.
    public init(_ value: Int) {
        self = .integer(Int64(value))
    }
}
