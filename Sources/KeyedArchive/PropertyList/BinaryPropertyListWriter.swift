import Foundation

/// Writes the binary form. Equal strings, numbers, dates, data and UIDs are written once, as Foundation does.
struct BinaryPropertyListWriter {
    private enum Item {
        case scalar(PropertyListNode)
        case list(marker: UInt8, [Int])
        case dictionary(keys: [Int], values: [Int])
    }

    /// Reals by their bits, so that 0 and -0 stay apart and NaN is one.
    private enum Key: Hashable {
        case value(PropertyListNode)
        case real(UInt64)
        case date(UInt64)
    }

    private var items: [Item] = []
    private var known: [Key: Int] = [:]
    private static let maximumDepth = 256

    mutating func write(_ node: PropertyListNode) throws(PropertyListError) -> Data {
        let top = try add(node, depth: 0)
        let referenceSize = Self.width(UInt64(items.count))
        var out = Data("bplist00".utf8)
        var offsets: [UInt64] = []
        offsets.reserveCapacity(items.count)
        for item in items {
            offsets.append(UInt64(out.count))
            switch item {
            case .scalar(let node):
                Self.append(node, to: &out)
            case .list(let marker, let references):
                Self.append(marker: marker, count: references.count, to: &out)
                for reference in references { Self.append(UInt64(reference), size: referenceSize, to: &out) }
            case .dictionary(let keys, let values):
                Self.append(marker: 0xD0, count: keys.count, to: &out)
                for reference in keys + values { Self.append(UInt64(reference), size: referenceSize, to: &out) }
            }
        }
        let table = UInt64(out.count)
        let offsetSize = Self.width(table)
        for offset in offsets { Self.append(offset, size: offsetSize, to: &out) }
        out.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
        for number in [UInt64(items.count), UInt64(top), table] { Self.append(number, size: 8, to: &out) }
        return out
    }

    private mutating func add(_ node: PropertyListNode, depth: Int) throws(PropertyListError) -> Int {
        guard depth <= Self.maximumDepth else {
            throw PropertyListError(.cannotWrite, "more than \(Self.maximumDepth) containers in each other")
        }
        switch node {
        case .null:
            throw PropertyListError(.cannotWrite, "a property list has no null")
        case .array(let elements), .set(let elements):
            let place = reserve()
            var references: [Int] = []
            for element in elements { references.append(try add(element, depth: depth + 1)) }
            if case .set = node {
                items[place] = .list(marker: 0xC0, references)
            } else {
                items[place] = .list(marker: 0xA0, references)
            }
            return place
        case .dictionary(let dictionary):
            let place = reserve()
            var keys: [Int] = []
            var values: [Int] = []
            for key in dictionary.keys { keys.append(try add(.string(key), depth: depth + 1)) }
            for value in dictionary.values { values.append(try add(value, depth: depth + 1)) }
            items[place] = .dictionary(keys: keys, values: values)
            return place
        case .real(let value):
            return share(.real(value.bitPattern), node)
        case .date(let value):
            return share(.date(value.timeIntervalSinceReferenceDate.bitPattern), node)
        default:
            return share(.value(node), node)
        }
    }

    private mutating func reserve() -> Int {
        items.append(.scalar(.bool(false)))
        return items.count - 1
    }

    private mutating func share(_ key: Key, _ node: PropertyListNode) -> Int {
        // A Swift string compares by canonical equivalence, a property list by its units.
        if case .value(.string(let text)) = key, !text.utf8.allSatisfy({ $0 < 0x80 }) {
            items.append(.scalar(node))
            return items.count - 1
        }
        if let place = known[key] { return place }
        items.append(.scalar(node))
        known[key] = items.count - 1
        return items.count - 1
    }

    /// The bytes that an unsigned number needs: 1, 2, 4 or 8.
    private static func width(_ value: UInt64) -> Int {
        switch value {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }

    private static func append(_ value: UInt64, size: Int, to out: inout Data) {
        for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
            out.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    private static func append(marker: UInt8, count: Int, to out: inout Data) {
        if count < 15 {
            out.append(marker | UInt8(count))
        } else {
            out.append(marker | 0x0F)
            append(.integer(Int64(count)), to: &out)
        }
    }

    private static func append(_ node: PropertyListNode, to out: inout Data) {
        switch node {
        case .bool(let value):
            out.append(value ? 0x09 : 0x08)
        case .integer(let value):
            let size = value < 0 ? 8 : width(UInt64(value))
            out.append(0x10 | UInt8(size.trailingZeroBitCount))
            append(UInt64(bitPattern: value), size: size, to: &out)
        case .unsigned(let value):
            out.append(0x14)
            append(0, size: 8, to: &out)
            append(value, size: 8, to: &out)
        case .real(let value):
            out.append(0x23)
            append(value.bitPattern, size: 8, to: &out)
        case .date(let value):
            out.append(0x33)
            append(value.timeIntervalSinceReferenceDate.bitPattern, size: 8, to: &out)
        case .data(let value):
            append(marker: 0x40, count: value.count, to: &out)
            out.append(value)
        case .uid(let value):
            let size = width(value)
            out.append(0x80 | UInt8(size - 1))
            append(value, size: size, to: &out)
        case .string(let value):
            if value.utf8.allSatisfy({ $0 < 0x80 }) {
                append(marker: 0x50, count: value.utf8.count, to: &out)
                out.append(contentsOf: value.utf8)
            } else {
                append(marker: 0x60, count: value.utf16.count, to: &out)
                for unit in value.utf16 { append(UInt64(unit), size: 2, to: &out) }
            }
        case .null, .array, .set, .dictionary:
            // Containers are items of their own and null was refused.
            break
        }
    }
}
