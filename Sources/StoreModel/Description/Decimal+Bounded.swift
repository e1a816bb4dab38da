import Foundation

extension Decimal {
    /// Reads a number in English spelling, but only of a length and exponent that a decimal surely has room for: what
    /// exceeds them is nil.
    init?(boundedText text: String) {
        guard text.utf8.count <= 48 else { return nil }
        let parts = text.split(separator: "e", omittingEmptySubsequences: false).flatMap {
            $0.split(separator: "E", omittingEmptySubsequences: false)
        }
        guard parts.count <= 2 else { return nil }
        if parts.count == 2 {
            guard let exponent = Int(parts[1]), -80...80 ~= exponent else { return nil }
        }
        self.init(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// The decimal with the shortest digits that read back as the double.
    package init?(shortest value: Double) {
        guard value.isFinite else { return nil }
        self.init(string: value.description, locale: Locale(identifier: "en_US_POSIX"))
    }

    /// The number, unless it is infinite, none, or too large or small for a decimal.
    init?(boundedValue value: Double) {
        guard value.isFinite, value == 0 || 1e-100...1e100 ~= abs(value) else { return nil }
        self.init(value)
    }
}

extension ModelValue {
    /// A number that was spelled out: the double, unless the text has digits that the double does not keep.
    package init(_ value: Double, spelled text: String) {
        // Every double tells numbers of 15 digits apart.
        if text.utf8.count > 16, let decimal = Decimal(boundedText: text), decimal != Decimal(shortest: value) {
            self = .decimal(decimal)
        } else {
            self = .double(value)
        }
    }
}
