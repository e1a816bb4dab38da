/// Where the rows of a table are, by primary key: a dictionary of places whose neighbouring keys lie together.
///
/// History and fetches go through keys in rising order. With a `Dictionary` each of them is a jump to somewhere in
/// memory; here sixteen neighbours share one entry, and a lone key costs 72 bytes.
public struct KeyIndex: Sendable {
    private var blocks: [Int64: SIMD16<Int32>] = [:]
    /// How many keys there are.
    public private(set) var count = 0

    private static let empty = SIMD16<Int32>(repeating: -1)

    /// An empty index.
    public init() {}

    /// The place of a key: from 0 to `Int32.max`. Nil takes the key out.
    public subscript(key: Int64) -> Int? {
        get {
            guard let place = blocks[key >> 4]?[Int(key & 15)], place >= 0 else { return nil }
            return Int(place)
        }
        set {
            guard let newValue else {
                remove(key)
                return
            }
            let lane = Int(key & 15)
            let former = blocks[key >> 4, default: Self.empty][lane]
            blocks[key >> 4, default: Self.empty][lane] = Int32(clamping: newValue)
            if former < 0 { count += 1 }
        }
    }

    /// Where the last key was found, for the next one: of keys that come in runs, most are beside it.
    public struct Hint {
        fileprivate var block: Int64?
        fileprivate var slot: Dictionary<Int64, SIMD16<Int32>>.Index?

        /// Nowhere yet.
        public init() {}
    }

    /// Takes a key out.
    /// - Returns: its place, if it was there.
    @discardableResult
    public mutating func remove(_ key: Int64) -> Int? {
        var hint = Hint()
        return remove(key, near: &hint)
    }

    /// Takes a key out.
    /// - Parameter hint: of the last removal. Good as long as nothing else is done to the index.
    /// - Returns: its place, if it was there.
    public mutating func remove(_ key: Int64, near hint: inout Hint) -> Int? {
        let lane = Int(key & 15)
        if hint.block != key >> 4 {
            hint.block = key >> 4
            hint.slot = blocks.index(forKey: key >> 4)
        }
        guard let slot = hint.slot else { return nil }
        let place = blocks.values[slot][lane]
        guard place >= 0 else { return nil }
        blocks.values[slot][lane] = -1
        if blocks.values[slot] == Self.empty {
            blocks.remove(at: slot)
            hint = Hint()
        }
        count -= 1
        return Int(place)
    }

    /// Calls the body with the place of each key, in no order.
    public func forEachPlace(_ body: (Int) -> Void) {
        for block in blocks.values {
            for lane in 0..<16 where block[lane] >= 0 { body(Int(block[lane])) }
        }
    }
}
