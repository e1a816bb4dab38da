/// Finds what a mistyped name was meant to be.
public enum NearestName {
    /// The candidate with the smallest edit distance, if that is at most a third of the name's length.
    public static func of(_ name: String, among candidates: [String]) -> String? {
        let scored = candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
        guard let best = scored.min(by: { $0.1 < $1.1 }), best.1 <= max(1, name.count / 3) else { return nil }
        return best.0
    }

    /// All that there are, the nearest first: for a name that was not mistyped, but thought up.
    public static func sorted(_ candidates: [String], by name: String) -> [String] {
        let scored = candidates.map { ($0, distance(name.lowercased(), $0.lowercased())) }
        return scored.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
    }

    private static func distance(_ a: String, _ b: String) -> Int {
        let (a, b) = (Array(a.prefix(100)), Array(b.prefix(100)))
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = x == y ? diagonal : 1 + min(diagonal, above, row[j])
                diagonal = above
            }
        }
        return row[b.count]
    }
}
