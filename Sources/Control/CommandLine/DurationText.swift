/// A span of time for a person.
enum DurationText {
    /// `0 s`, `12 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`: at most two units, rounded down.
    static func text(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds < 1e15 else { return "\(seconds) s" }
        let whole = Int(max(0, seconds))
        let units = [("d", whole / 86_400), ("h", whole / 3_600 % 24), ("min", whole / 60 % 60), ("s", whole % 60)]
        guard let first = units.firstIndex(where: { $0.1 > 0 }) else { return "0 s" }
        return units[first..<min(first + 2, units.count)].filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
            .joined(separator: " ")
    }
}
