import Foundation

extension ArchivedObject {
    /// The text of a plain string, `NSString` or `NSMutableString`.
    public var string: String? {
        if case .string(let value) = node { return value }
        if let text = node["NS.string"] {
            if case .uid(let uid) = text, uid != self.uid { return ArchivedObject(archive, text)?.node.string }
            return text.string
        }
        return node["NS.bytes"]?.data.flatMap { String(data: $0, encoding: .utf8) }
    }

    /// The whole number, of a plain number or an `NSNumber` in its own form.
    public var integer: Int64? { node.integer ?? number?.integer }

    /// The number as a double.
    public var real: Double? { node.real ?? number?.real }

    /// The truth value.
    public var bool: Bool? { node.bool ?? number?.bool }

    /// Archivers of old wrote `NSNumber` as an object with the value under a key for its kind.
    private var number: PropertyListNode? {
        guard isKind(of: "NSNumber") || isKind(of: "NSValue") else { return nil }
        return ["NS.intval", "NS.dblval", "NS.boolval"].lazy.compactMap { node[$0] }.first
    }

    /// The point in time, of an `NSDate` or a plain date.
    public var date: Date? {
        if case .date(let value) = node { return value }
        return node["NS.time"]?.real.map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// The bytes, of plain data, `NSData` or `NSMutableData`.
    public var data: Data? {
        if case .data(let value) = node { return value }
        guard let field = node["NS.data"] else { return nil }
        return ArchivedObject(archive, field)?.node.data
    }

    /// The UUID of an `NSUUID`.
    public var uuid: UUID? {
        guard let bytes = node["NS.uuidbytes"]?.data, bytes.count == 16 else { return nil }
        return bytes.withUnsafeBytes { $0.loadUnaligned(as: UUID.self) }
    }

    /// The text of an `NSURL`, its base in front if it is relative.
    public var url: String? {
        guard isKind(of: "NSURL"), let relative = self["NS.relative"]?.string else { return nil }
        guard let base = self["NS.base"], base.uid != uid, let root = base["NS.relative"]?.string else {
            return relative
        }
        return URL(string: relative, relativeTo: URL(string: root))?.absoluteString ?? root + relative
    }

    /// The elements of an array, set or ordered set; null elements are nil.
    public var elements: [ArchivedObject?]? {
        if let nodes = node.elements { return nodes.map { ArchivedObject(archive, $0) } }
        guard isKind(of: "NSArray") || isKind(of: "NSSet") || isKind(of: "NSOrderedSet") else { return nil }
        if let nodes = node["NS.objects"]?.elements { return nodes.map { ArchivedObject(archive, $0) } }
        var result: [ArchivedObject?] = []
        while let next = node["NS.object.\(result.count)"] { result.append(ArchivedObject(archive, next)) }
        return result
    }

    /// The entries of a dictionary, in stored order; those with a null value are left out.
    ///
    /// `NSKnownKeysDictionary1` (values beside a mapping of keys, Format, section 7) is read too.
    public var entries: [(key: ArchivedObject, value: ArchivedObject)]? {
        if className?.hasPrefix("NSKnownKeysDictionary") == true {
            guard let keys = self["searchMapping"]?["keys"]?.elements, let values = self["values"]?.elements else {
                return nil
            }
            let empty = self["emptyToken"]?.string
            return Self.pairs(keys, values).filter { empty == nil || $0.value.string != empty }
        }
        guard isKind(of: "NSDictionary") else { return nil }
        if let keys = node["NS.keys"]?.elements, let values = node["NS.objects"]?.elements {
            return Self.pairs(
                keys.map { ArchivedObject(archive, $0) }, values.map { ArchivedObject(archive, $0) })
        }
        var result: [(key: ArchivedObject, value: ArchivedObject)] = []
        var index = 0
        while let key = node["NS.key.\(index)"], let value = node["NS.object.\(index)"] {
            result += Self.pairs([ArchivedObject(archive, key)], [ArchivedObject(archive, value)])
            index += 1
        }
        return result
    }

    private static func pairs(_ keys: [ArchivedObject?], _ values: [ArchivedObject?]) -> [(
        key: ArchivedObject, value: ArchivedObject
    )] {
        zip(keys, values).compactMap { key, value in
            guard let key, let value else { return nil }
            return (key, value)
        }
    }

    /// The entries of a dictionary whose keys are strings; other keys are left out.
    public var namedEntries: [(name: String, value: ArchivedObject)]? {
        entries?.compactMap { key, value in key.string.map { ($0, value) } }
    }
}
