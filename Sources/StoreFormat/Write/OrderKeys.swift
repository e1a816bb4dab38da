/// The values of `Z_FOK_…` columns, which order a relationship: the first 2048, then 1024 apart, and what lies between
/// where something is put between (Format, section 3.3).
public enum OrderKeys {
    static let first: Int64 = 2048
    static let step: Int64 = 1024

    /// Keys for a sequence, ascending. As many as can be of the given ones are kept.
    /// - Parameter current: each element's key so far; nil for a new element.
    public static func assign(_ current: [Int64?]) -> [Int64] {
        let kept = longestAscending(current)
        var result = [Int64](repeating: 0, count: current.count)
        var low: Int64?
        var i = 0
        while i < current.count {
            if kept.contains(i), let key = current[i] {
                result[i] = key
                low = key
                i += 1
                continue
            }
            var end = i
            while end < current.count, !kept.contains(end) { end += 1 }
            let high = end < current.count ? current[end] : nil
            guard let keys = between(low, high, count: end - i) else { return fresh(current.count) }
            result.replaceSubrange(i..<end, with: keys)
            low = keys.last
            i = end
        }
        return result
    }

    private static func fresh(_ count: Int) -> [Int64] {
        (0..<Int64(count)).map { first + $0 * step }
    }

    /// Keys strictly between two; nil where there is no room.
    private static func between(_ low: Int64?, _ high: Int64?, count: Int) -> [Int64]? {
        let n = Int64(count)
        switch (low, high) {
        case (nil, nil): return fresh(count)
        case (let low?, nil):
            guard low <= Int64(Int32.max) - (n + 1) * step else { return nil }
            return (1...n).map { low + $0 * step }
        case (nil, let high?):
            let start = high - n * step
            return start > 0 ? (0..<n).map { start + $0 * step } : spread(0, high, n)
        case (let low?, let high?): return spread(low, high, n)
        }
    }

    private static func spread(_ low: Int64, _ high: Int64, _ n: Int64) -> [Int64]? {
        let gap = high - low
        guard gap > n else { return nil }
        // gap * i / (n + 1), in parts that do not overflow whatever the file says.
        let (whole, rest) = gap.quotientAndRemainder(dividingBy: n + 1)
        return (1...n).map { low + whole * $0 + rest * $0 / (n + 1) }
    }

    /// The indexes of a longest strictly ascending subsequence of the keys that are there.
    private static func longestAscending(_ keys: [Int64?]) -> Set<Int> {
        var tails: [Int] = []
        var previous = [Int?](repeating: nil, count: keys.count)
        for (i, key) in keys.enumerated() {
            guard let key, key > 0 else { continue }
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if let other = keys[tails[middle]], other < key { low = middle + 1 } else { high = middle }
            }
            previous[i] = low > 0 ? tails[low - 1] : nil
            if low == tails.count { tails.append(i) } else { tails[low] = i }
        }
        var kept: Set<Int> = []
        var next = tails.last
        while let i = next {
            kept.insert(i)
            next = previous[i]
        }
        return kept
    }
}
