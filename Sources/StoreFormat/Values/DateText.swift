import Foundation

/// Dates as ISO 8601 in UTC, with as many fractional digits as a date needs to read back equal.
public enum DateText {
    /// Where the years of four digits begin and end, in seconds since 2001-01-01 UTC.
    private static let years = -63_145_526_400.0..<252_423_993_600.0

    /// The text; nil for a date outside the years 0 to 9999, or one that no 15 digits tell from its neighbours.
    public static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard years.contains(seconds) else { return nil }
        let whole = seconds.rounded(.down)
        for digits in 0...15 {
            let scale = pow10(digits)
            let fraction = ((seconds - whole) * Double(scale)).rounded()
            var base = Int64(whole)
            var units = Int64(fraction)
            if units >= scale {
                units -= scale
                base += 1
            }
            if value(whole: base, units: units, digits: digits) == seconds {
                return civil(base) + (digits == 0 ? "" : "." + padded(units, digits)) + "Z"
            }
        }
        return nil
    }

    /// Reads such a text, and any with an offset from UTC; a bare date is its midnight. Nil for what is no date, such as
    /// a day that its month does not have, hour 24 and second 60.
    ///
    /// A date is a double: the text's time is rounded once, to the nearest, but never out of the years 0 to 9999.
    /// - Parameter needsZone: whether a time must be followed by its zone; else one without is in UTC.
    public static func date(_ text: String, needsZone: Bool = true) -> Date? {
        var scanner = Scanner(text)
        guard let year = scanner.number(4), scanner.skip("-"), let month = scanner.number(2), scanner.skip("-"),
            let day = scanner.number(2), (1...12).contains(month), day >= 1
        else { return nil }
        let days = days(year: year, month: month, day: day)
        // A day that the month lacks would be one of the next month.
        guard days < self.days(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1) else { return nil }
        var whole = days * 86_400
        if scanner.isAtEnd { return Date(timeIntervalSinceReferenceDate: Double(whole)) }
        guard scanner.skip("T") || scanner.skip(" "), let hour = scanner.number(2), scanner.skip(":"),
            let minute = scanner.number(2), hour < 24, minute < 60
        else { return nil }
        whole += hour * 3600 + minute * 60
        var fraction = ""
        if scanner.skip(":") {
            guard let second = scanner.number(2), second < 60 else { return nil }
            whole += second
            if scanner.skip(".") {
                fraction = scanner.digits()
                guard !fraction.isEmpty, fraction.count <= 18 else { return nil }
            }
        }
        guard let offset = zone(&scanner, isNeeded: needsZone), scanner.isAtEnd else { return nil }
        whole -= offset
        var seconds = value(whole: whole, units: Int64(fraction) ?? 0, digits: fraction.count)
        if seconds == years.upperBound, Double(whole) < seconds { seconds = seconds.nextDown }
        guard years.contains(seconds) else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    /// Seconds east of UTC.
    private static func zone(_ scanner: inout Scanner, isNeeded: Bool) -> Int64? {
        if !isNeeded {
            while scanner.skip(" ") {}
            if scanner.isAtEnd { return 0 }
        }
        if scanner.skip("Z") || scanner.skip("z") { return 0 }
        let sign: Int64
        if scanner.skip("+") { sign = 1 } else if scanner.skip("-") { sign = -1 } else { return nil }
        guard let hours = scanner.number(2), hours < 24 else { return nil }
        let hasColon = scanner.skip(":")
        if scanner.isAtEnd, !hasColon, !isNeeded { return sign * hours * 3600 }
        guard let minutes = scanner.number(2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func pow10(_ digits: Int) -> Int64 { (0..<digits).reduce(1) { value, _ in value * 10 } }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let text = "\(number)"
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// whole + units / 10^digits, rounded once, by the decimal text.
    private static func value(whole: Int64, units: Int64, digits: Int) -> Double {
        guard digits > 0 else { return Double(whole) }
        let scaled = Int128(whole) * Int128(pow10(digits)) + Int128(units)
        let text = "\(scaled.magnitude)"
        let full = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        return Double("\(scaled < 0 ? "-" : "")\(full.dropLast(digits)).\(full.suffix(digits))") ?? .nan
    }

    /// Days from 2001-01-01 in the proleptic Gregorian calendar.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let y = month <= 2 ? year - 1 : year
        let era = (y >= 0 ? y : y - 399) / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 730_791
    }

    private static func civil(_ seconds: Int64) -> String {
        let day = seconds >= 0 ? seconds / 86_400 : -((86_399 - seconds) / 86_400)
        let rest = seconds - day * 86_400
        let z = day + 730_791
        let era = (z >= 0 ? z : z - 146_096) / 146_097
        let dayOfEra = z - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shifted + 2) / 5 + 1
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
            + "T\(padded(rest / 3600, 2)):\(padded(rest / 60 % 60, 2)):\(padded(rest % 60, 2))"
    }

    private struct Scanner {
        private var rest: Substring

        init(_ text: String) {
            rest = Substring(text)
        }

        var isAtEnd: Bool { rest.isEmpty }

        mutating func skip(_ character: Character) -> Bool {
            guard rest.first == character else { return false }
            rest.removeFirst()
            return true
        }

        mutating func number(_ width: Int) -> Int64? {
            let part = rest.prefix(width)
            guard part.count == width, part.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
            rest.removeFirst(width)
            return Int64(part)
        }

        mutating func digits() -> String {
            let part = rest.prefix { $0.isASCII && $0.isNumber }
            rest.removeFirst(part.count)
            return String(part)
        }
    }
}
