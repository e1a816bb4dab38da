import Foundation

/// Dates that a predicate holds as text: ISO 8601, a day alone or with a time; without a zone it is UTC.
///
/// `2001-06-01`, `2001-06-01T12:30:00Z`, `2001-06-01 12:30:00.25 +0200`.
enum DateLiteral {
    static func date(_ text: String) -> Date? {
        var rest = Substring(text)
        guard let year = number(&rest, 4), take(&rest, "-"), let month = number(&rest, 2), take(&rest, "-"),
            let day = number(&rest, 2), (1...12).contains(month), (1...31).contains(day)
        else { return nil }
        let days = days(year, month, day)
        // A day that the month lacks would be one of the next month.
        guard days < self.days(month == 12 ? year + 1 : year, month == 12 ? 1 : month + 1, 1) else { return nil }
        var seconds = Double(days) * 86_400
        if rest.isEmpty { return Date(timeIntervalSinceReferenceDate: seconds) }
        guard take(&rest, "T") || take(&rest, " "), let hour = number(&rest, 2), take(&rest, ":"),
            let minute = number(&rest, 2), hour < 24, minute < 60
        else { return nil }
        seconds += Double(hour * 3_600 + minute * 60)
        if take(&rest, ":") {
            guard let second = number(&rest, 2), second < 60 else { return nil }
            seconds += Double(second)
            if take(&rest, ".") {
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                guard !digits.isEmpty, let fraction = Double("0.\(digits)") else { return nil }
                rest = rest.dropFirst(digits.count)
                seconds += fraction
            }
        }
        guard let offset = zone(rest) else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds - Double(offset))
    }

    /// Seconds east of UTC.
    private static func zone(_ text: Substring) -> Int? {
        var rest = text.drop { $0 == " " }
        if rest.isEmpty || rest == "Z" || rest == "z" { return 0 }
        let isWest = rest.first == "-"
        guard take(&rest, "+") || take(&rest, "-"), let hours = number(&rest, 2), hours < 24 else { return nil }
        _ = take(&rest, ":")
        let minutes = rest.isEmpty ? 0 : number(&rest, 2)
        guard let minutes, minutes < 60, rest.isEmpty else { return nil }
        return (hours * 3_600 + minutes * 60) * (isWest ? -1 : 1)
    }

    private static func number(_ text: inout Substring, _ digits: Int) -> Int? {
        let part = text.prefix(digits)
        guard part.count == digits, part.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        text = text.dropFirst(digits)
        return Int(part)
    }

    private static func take(_ text: inout Substring, _ character: Character) -> Bool {
        guard text.first == character else { return false }
        text = text.dropFirst()
        return true
    }

    /// Days from 2001-01-01 in the Gregorian calendar. The year is taken to begin in March, so that leap days come last.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let y = month <= 2 ? year - 1 : year
        let m = (month + 9) % 12
        let era = y * 365 + y / 4 - y / 100 + y / 400
        // 730,791 days lie between 0000-03-01 and 2001-01-01.
        return era + (m * 306 + 5) / 10 + day - 1 - 730_791
    }
}
