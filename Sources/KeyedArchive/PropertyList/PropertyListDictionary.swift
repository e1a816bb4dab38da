/// A dictionary that keeps its keys in the order in which they were read or set.
///
/// Two are equal if they hold the same values under the same keys, in whatever order.
public struct PropertyListDictionary: Sendable {
    /// The keys, in order, each once.
    public private(set) var keys: [String] = []
    /// The values, each at its key's place.
    public private(set) var values: [PropertyListNode] = []
    /// Places by key, kept once there are enough keys that looking along them would cost more.
    private var places: [String: Int]?

    private static let linearLimit = 12

    /// Makes an empty dictionary.
    public init() {}

    /// Makes a dictionary of those entries; a key that comes again replaces the earlier value.
    public init(_ entries: [(String, PropertyListNode)]) {
        keys.reserveCapacity(entries.count)
        values.reserveCapacity(entries.count)
        for (key, value) in entries { self[key] = value }
    }

    /// The number of entries.
    public var count: Int { keys.count }

    /// Whether there is no entry.
    public var isEmpty: Bool { keys.isEmpty }

    /// The entries in order.
    public var entries: [(key: String, value: PropertyListNode)] {
        zip(keys, values).map { ($0, $1) }
    }

    private func place(of key: String) -> Int? {
        if let places { return places[key] }
        return keys.firstIndex(of: key)
    }

    /// The value of a key. Setting a new key appends it, setting nil removes it.
    public subscript(key: String) -> PropertyListNode? {
        get { place(of: key).map { values[$0] } }
        set {
            switch (place(of: key), newValue) {
            case (let index?, let value?):
                values[index] = value
            case (let index?, nil):
                keys.remove(at: index)
                values.remove(at: index)
                rebuild()
            case (nil, let value?):
                places?[key] = keys.count
                keys.append(key)
                values.append(value)
                if places == nil, keys.count > Self.linearLimit { rebuild() }
            case (nil, nil):
                break
            }
        }
    }

    private mutating func rebuild() {
        guard keys.count > Self.linearLimit else {
            places = nil
            return
        }
        places = Dictionary(keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension PropertyListDictionary: Hashable {
    public static func == (a: PropertyListDictionary, b: PropertyListDictionary) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a.keys, a.values).allSatisfy { b[$0] == $1 }
    }

    public func hash(into hasher: inout Hasher) {
        // Order does not count, so neither may it here.
        hasher.combine(Set(keys))
    }
}

extension PropertyListDictionary: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, PropertyListNode)...) {
        self.init(elements)
    }
}
