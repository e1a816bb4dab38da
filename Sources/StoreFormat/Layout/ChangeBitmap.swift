/// The slots of `ACHANGE.ZCOLUMNS` for one entity (Format, section 8.4): to-one relationships by name, an unused slot
/// for each further key column, attributes by name, to-many relationships.
///
/// The order of to-many slots in Apple's files is not settled; they are written by name here, and never decide anything
/// when they are read.
public struct ChangeBitmap: Sendable, Hashable {
    /// The slots of a property: several for a composite.
    public let slots: [String: [Int]]
    /// How many bits there are; the bytes are rounded up.
    public let slotCount: Int
    /// The property of each slot; nil for an unused one.
    public let properties: [String?]

    init(toOnes: [String], unused: Int, attributes: [(name: String, leaves: Int)], toManys: [String]) {
        var slots: [String: [Int]] = [:]
        var properties: [String?] = []
        for name in toOnes {
            slots[name] = [properties.count]
            properties.append(name)
        }
        properties += [String?](repeating: nil, count: unused)
        for (name, leaves) in attributes {
            slots[name] = Array(properties.count..<properties.count + leaves)
            properties += [String?](repeating: name, count: leaves)
        }
        for name in toManys {
            slots[name] = [properties.count]
            properties.append(name)
        }
        self.slots = slots
        self.properties = properties
        self.slotCount = properties.count
    }

    /// The bitmap with these properties' bits set.
    public func encode(_ changed: some Sequence<String>) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: (slotCount + 7) / 8)
        for name in changed {
            for slot in slots[name] ?? [] { bytes[slot >> 3] |= 0x80 >> UInt8(slot & 7) }
        }
        return bytes
    }

    /// The properties whose bits are set, by name. Bits beyond the slots are left out.
    public func decode(_ bytes: [UInt8]) -> [String] {
        var names: Set<String> = []
        for (slot, name) in properties.enumerated() where slot >> 3 < bytes.count {
            if let name, bytes[slot >> 3] & (0x80 >> UInt8(slot & 7)) != 0 { names.insert(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
