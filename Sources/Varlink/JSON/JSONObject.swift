/// The members of a JSON object, in the order of their insertion, so that what is written is the same every time.
///
/// Keys are compared as Swift strings: two spellings of one text that are canonically equivalent are one key.
public struct JSONObject: Sendable {
    /// A member.
    public typealias Element = (key: String, value: JSON)

    /// Above this many members an index is kept. Below, comparing a few short strings is faster than hashing one.
    private static let indexThreshold = 16

    /// A structure, because the runtime copies and destroys tuples slowly.
    private struct Member {
        var key: String
        var value: JSON
    }

    private var members: [Member] = []
    /// Where each member stands; only for large objects.
    private var positions: [String: Int]?

    /// An object without members.
    public init() {}

    /// An object with these members; of two equal keys the later value counts, at the earlier place.
    public init(_ elements: some Sequence<(String, JSON)>) {
        for (key, value) in elements { self[key] = value }
    }

    /// The value of a member. Setting nil removes it; setting one that is there keeps its place.
    public subscript(key: String) -> JSON? {
        get {
            position(of: key).map { members[$0].value }
        }
        set {
            if let newValue {
                set(key, newValue)
            } else if let position = position(of: key) {
                members.remove(at: position)
                reindex()
            }
        }
    }

    /// The names of the members, in order.
    public var keys: [String] { members.map(\.key) }

    /// Sets a member, and says whether it was there before.
    @discardableResult
    mutating func set(_ key: String, _ value: JSON) -> Bool {
        if let position = position(of: key) {
            members[position].value = value
            return true
        }
        // Grown at once to a usual size instead of from one by doubling.
        if members.isEmpty { members.reserveCapacity(4) }
        members.append(Member(key: key, value: value))
        if members.count > Self.indexThreshold {
            if positions == nil { reindex() } else { positions?[key] = members.count - 1 }
        }
        return false
    }

    private func position(of key: String) -> Int? {
        if let positions { return positions[key] }
        for index in members.indices where members[index].key == key { return index }
        return nil
    }

    private mutating func reindex() {
        positions = nil
        guard members.count > Self.indexThreshold else { return }
        var index: [String: Int] = [:]
        for (position, member) in members.enumerated() { index[member.key] = position }
        positions = index
    }
}

extension JSONObject: RandomAccessCollection {
    /// The position of the first member.
    public var startIndex: Int { members.startIndex }
    /// The position after the last member.
    public var endIndex: Int { members.endIndex }
    /// The member at that position.
    public subscript(position: Int) -> Element { (members[position].key, members[position].value) }
}

extension JSONObject: Hashable {
    /// Whether both have the same members, in whatever order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.count == right.count else { return false }
        return left.allSatisfy { right[$0.key] == $0.value }
    }

    /// Hashes the members so that their order does not count.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (key, value) in self {
            var member = Hasher()
            member.combine(key)
            member.combine(value)
            sum &+= member.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object with these members; of two equal keys the later value counts.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self.init(elements)
    }
}

extension JSONObject: CustomStringConvertible {
    /// The compact JSON text.
    public var description: String { JSON.object(self).description }
}
