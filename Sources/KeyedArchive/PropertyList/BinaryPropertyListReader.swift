import Foundation

/// Reads the binary form: objects, an offset table, and a trailer of 32 bytes that says where both are.
struct BinaryPropertyListReader {
    static let magic = Array("bplist".utf8)

    private enum State {
        case unread
        case open
        case read(PropertyListNode, nodes: Int)
    }

    private let bytes: [UInt8]
    private let limits: PropertyList.Limits
    private let offsetSize: Int
    private let referenceSize: Int
    private let offsetTable: Int
    private var states: [State]
    /// The sum of what the objects take. No two overlap in a list that a writer made, so it never exceeds the bytes there
    /// are; without this rule many objects could each claim the same large block.
    private var claimed = 0

    static func read(_ data: Data, limits: PropertyList.Limits) throws(PropertyListError) -> PropertyListNode {
        let bytes = [UInt8](data)
        guard bytes.count >= 8 + 32 else {
            throw PropertyListError(.truncated, "\(bytes.count) bytes are too few for a binary list", at: bytes.count)
        }
        var reader = try BinaryPropertyListReader(bytes, limits)
        let top = try reader.integer(at: bytes.count - 16, size: 8)
        return try reader.object(top, depth: 0, from: bytes.count - 16).node
    }

    private init(_ bytes: [UInt8], _ limits: PropertyList.Limits) throws(PropertyListError) {
        self.bytes = bytes
        self.limits = limits
        let trailer = bytes.count - 32
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize else {
            throw PropertyListError(.outOfBounds, "the trailer's integer sizes are not 1 to 8", at: trailer + 6)
        }
        let count = Self.bigEndian(bytes, trailer + 8, 8)
        let table = Self.bigEndian(bytes, trailer + 24, 8)
        guard table >= 8, table <= trailer, count >= 1, count <= UInt64(trailer) else {
            throw PropertyListError(.outOfBounds, "the trailer's counts do not fit the file", at: trailer + 8)
        }
        guard Int(count) * offsetSize <= trailer - Int(table) else {
            throw PropertyListError(.truncated, "the offset table runs into the trailer", at: Int(table))
        }
        offsetTable = Int(table)
        states = Array(repeating: .unread, count: Int(count))
    }

    private static func bigEndian(_ bytes: [UInt8], _ offset: Int, _ size: Int) -> UInt64 {
        var value: UInt64 = 0
        for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
        return value
    }

    private func integer(at offset: Int, size: Int) throws(PropertyListError) -> UInt64 {
        guard offset >= 0, size <= bytes.count - offset else {
            throw PropertyListError(.truncated, "\(size) bytes are expected", at: offset)
        }
        return Self.bigEndian(bytes, offset, size)
    }

    private mutating func object(_ reference: UInt64, depth: Int, from place: Int) throws(PropertyListError) -> (
        node: PropertyListNode, nodes: Int
    ) {
        guard reference < UInt64(states.count) else {
            throw PropertyListError(.outOfBounds, "reference \(reference) of \(states.count) objects", at: place)
        }
        guard depth <= limits.depth else {
            throw PropertyListError(.tooLarge, "more than \(limits.depth) containers in each other", at: place)
        }
        let index = Int(reference)
        switch states[index] {
        case .read(let node, let nodes):
            return (node, nodes)
        case .open:
            throw PropertyListError(.cycle, "object \(index) contains itself", at: place)
        case .unread:
            break
        }
        let offset = Self.bigEndian(bytes, offsetTable + index * offsetSize, offsetSize)
        guard offset >= 8, offset < UInt64(offsetTable) else {
            throw PropertyListError(
                .outOfBounds, "object \(index) lies at \(offset)", at: offsetTable + index * offsetSize)
        }
        states[index] = .open
        let result = try value(at: Int(offset), depth: depth)
        states[index] = .read(result.node, nodes: result.nodes)
        return result
    }

    /// Takes `count` items of `size` bytes at `offset`, and the objects' share of the file with them.
    private mutating func claim(_ count: UInt64, _ size: Int, at offset: Int) throws(PropertyListError) -> Range<Int> {
        guard count <= UInt64(offsetTable - offset) / UInt64(size) else {
            throw PropertyListError(.truncated, "\(count) items of \(size) bytes do not fit", at: offset)
        }
        let length = Int(count) * size
        claimed += length
        guard claimed <= bytes.count else {
            throw PropertyListError(.outOfBounds, "objects overlap", at: offset)
        }
        return offset..<offset + length
    }

    private mutating func value(at offset: Int, depth: Int) throws(PropertyListError) -> (
        node: PropertyListNode, nodes: Int
    ) {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        claimed += 1
        switch marker >> 4 {
        case 0x0: return (try simple(marker, at: offset), 1)
        case 0x1: return (try number(low, at: offset), 1)
        case 0x2: return (.real(try real(low, at: offset)), 1)
        case 0x3:
            let seconds = try real(low, at: offset)
            return (.date(Date(timeIntervalSinceReferenceDate: seconds)), 1)
        case 0x4, 0x5, 0x6, 0x7: return (try text(marker, at: offset), 1)
        case 0x8:
            let range = try claim(UInt64(low) + 1, 1, at: offset + 1)
            guard range.count <= 8 else {
                throw PropertyListError(.outOfBounds, "a UID of \(range.count) bytes", at: offset)
            }
            return (.uid(Self.bigEndian(bytes, range.lowerBound, range.count)), 1)
        case 0xA, 0xB, 0xC: return try list(marker, at: offset, depth: depth)
        case 0xD: return try dictionary(low, at: offset, depth: depth)
        default: throw unknown(marker, offset)
        }
    }

    private func unknown(_ marker: UInt8, _ offset: Int) -> PropertyListError {
        PropertyListError(.unknownMarker, "no value starts with byte 0x\(String(marker, radix: 16))", at: offset)
    }

    private func simple(_ marker: UInt8, at offset: Int) throws(PropertyListError) -> PropertyListNode {
        switch marker {
        case 0x00: .null
        case 0x08: .bool(false)
        case 0x09: .bool(true)
        default: throw unknown(marker, offset)
        }
    }

    private mutating func number(_ low: Int, at offset: Int) throws(PropertyListError) -> PropertyListNode {
        guard low <= 4 else { throw unknown(0x10 | UInt8(low), offset) }
        let range = try claim(1, 1 << low, at: offset + 1)
        if low == 4 {
            // 16 bytes: how Foundation writes integers above Int64.max.
            let high = Self.bigEndian(bytes, range.lowerBound, 8)
            let value = Self.bigEndian(bytes, range.lowerBound + 8, 8)
            if high == 0 { return value > Int64.max ? .unsigned(value) : .integer(Int64(value)) }
            if high == .max, value > Int64.max { return .integer(Int64(bitPattern: value)) }
            throw PropertyListError(.outOfBounds, "an integer of more than 64 bits", at: offset)
        }
        let value = Self.bigEndian(bytes, range.lowerBound, range.count)
        // Only the 8-byte form is signed.
        return .integer(low == 3 ? Int64(bitPattern: value) : Int64(value))
    }

    private mutating func real(_ low: Int, at offset: Int) throws(PropertyListError) -> Double {
        guard low == 2 || low == 3 else { throw unknown(bytes[offset], offset) }
        let range = try claim(1, 1 << low, at: offset + 1)
        let bits = Self.bigEndian(bytes, range.lowerBound, range.count)
        return low == 2 ? Double(Float(bitPattern: UInt32(bits))) : Double(bitPattern: bits)
    }

    /// A count: in the marker, or where that says 15 in an integer after it. Gives the offset behind it too.
    private mutating func count(_ low: Int, at offset: Int) throws(PropertyListError) -> (UInt64, Int) {
        guard low == 0x0F else { return (UInt64(low), offset + 1) }
        guard offset + 1 < offsetTable, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 0x0F <= 3 else {
            throw PropertyListError(.outOfBounds, "a count is expected", at: offset + 1)
        }
        let range = try claim(1, 1 << Int(bytes[offset + 1] & 0x0F), at: offset + 2)
        return (Self.bigEndian(bytes, range.lowerBound, range.count), range.upperBound)
    }

    private mutating func text(_ marker: UInt8, at offset: Int) throws(PropertyListError) -> PropertyListNode {
        let (count, start) = try count(Int(marker & 0x0F), at: offset)
        let range = try claim(count, marker >> 4 == 6 ? 2 : 1, at: start)
        switch marker >> 4 {
        case 0x4:
            return .data(Data(bytes[range]))
        case 0x5:
            guard bytes[range].allSatisfy({ $0 < 0x80 }) else {
                throw PropertyListError(.badText, "a byte above 127 in ASCII text", at: offset)
            }
            return .string(String(decoding: bytes[range], as: UTF8.self))
        case 0x6:
            let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            // Unpaired surrogates become U+FFFD: such text exists in real files and is no reason to refuse the whole.
            return .string(String(decoding: units, as: UTF16.self))
        default:
            guard let text = String(validating: bytes[range], as: UTF8.self) else {
                throw PropertyListError(.badText, "text that is not UTF-8", at: offset)
            }
            return .string(text)
        }
    }

    private mutating func references(_ range: Range<Int>, depth: Int) throws(PropertyListError) -> (
        [PropertyListNode], nodes: Int
    ) {
        var result: [PropertyListNode] = []
        var total = 0
        result.reserveCapacity(range.count / referenceSize)
        for place in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
            let item = try object(
                Self.bigEndian(bytes, place, referenceSize), depth: depth + 1, from: place)
            total += item.nodes
            guard total < limits.nodes else {
                throw PropertyListError(.tooLarge, "more than \(limits.nodes) values", at: place)
            }
            result.append(item.node)
        }
        return (result, total)
    }

    private mutating func list(_ marker: UInt8, at offset: Int, depth: Int) throws(PropertyListError) -> (
        node: PropertyListNode, nodes: Int
    ) {
        let (count, start) = try count(Int(marker & 0x0F), at: offset)
        let (items, nodes) = try references(try claim(count, referenceSize, at: start), depth: depth)
        return (marker >> 4 == 0xA ? .array(items) : .set(items), nodes + 1)
    }

    private mutating func dictionary(_ low: Int, at offset: Int, depth: Int) throws(PropertyListError) -> (
        node: PropertyListNode, nodes: Int
    ) {
        let (count, start) = try count(low, at: offset)
        let keyRange = try claim(count, referenceSize, at: start)
        let valueRange = try claim(count, referenceSize, at: keyRange.upperBound)
        let (keys, _) = try references(keyRange, depth: depth)
        let (values, nodes) = try references(valueRange, depth: depth)
        var entries: [(String, PropertyListNode)] = []
        entries.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) {
            guard let text = key.string else {
                throw PropertyListError(.badText, "a dictionary key that is no string", at: offset)
            }
            entries.append((text, value))
        }
        return (.dictionary(PropertyListDictionary(entries)), nodes + keys.count + 1)
    }
}
