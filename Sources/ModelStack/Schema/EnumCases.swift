import Foundation

/// The cases of an enumeration, as the metadata tells that the compiler puts beside the type.
///
/// Nothing else does: an enumeration without raw values has no list of its cases unless it is `CaseIterable`, and the
/// columns of a store are named by all of them (Format, section 10). Swift's ABI fixes the layout that is read here, on
/// 64-bit platforms (docs/ABI/TypeMetadata.rst of the compiler): the metadata's kind, the descriptor's counts of cases,
/// and the records of the fields.
struct EnumCases {
    /// Cases with associated values, in declared order.
    let withPayload: [String]
    /// Cases without, in declared order.
    let plain: [String]

    /// All cases; those with associated values come first, as the compiler lists them.
    var names: [String] { withPayload + plain }

    /// Nil for a type that is no enumeration, and for one that was compiled without the names.
    init?(_ type: Any.Type) {
        guard MemoryLayout<UnsafeRawPointer>.size == 8 else { return nil }
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard metadata.load(as: UInt.self) == 0x201 else { return nil }
        let descriptor = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer.self)
        let fields = descriptor + 16
        let payload = Int(descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF)
        let empty = Int(descriptor.load(fromByteOffset: 24, as: UInt32.self))
        let offset = Int(fields.load(as: Int32.self))
        guard offset != 0 else { return nil }
        let records = fields + offset
        let size = Int(records.load(fromByteOffset: 10, as: UInt16.self))
        guard Int(records.load(fromByteOffset: 12, as: UInt32.self)) == payload + empty else { return nil }
        let names = (0..<payload + empty).map { i in
            let name = records + 16 + i * size + 8
            return String(cString: (name + Int(name.load(as: Int32.self))).assumingMemoryBound(to: CChar.self))
        }
        withPayload = Array(names.prefix(payload))
        plain = Array(names.dropFirst(payload))
    }

    /// The value of a case, of an enumeration without associated values: such a value is its case's number, from 0.
    func value<T>(_ type: T.Type, of name: String) -> T? {
        guard withPayload.isEmpty, let number = plain.firstIndex(of: name), MemoryLayout<T>.size <= 4 else {
            return nil
        }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 8, alignment: 8)
        defer { memory.deallocate() }
        memory.storeBytes(of: UInt64(number).littleEndian, as: UInt64.self)
        return memory.load(as: T.self)
    }

    /// The case of a value, of an enumeration without associated values.
    func name<T>(of value: T) -> String? {
        guard withPayload.isEmpty, MemoryLayout<T>.size <= 4 else { return nil }
        var number: UInt64 = 0
        withUnsafeBytes(of: value) { bytes in
            for (i, byte) in bytes.enumerated() { number |= UInt64(byte) << UInt64(8 * i) }
        }
        return number < UInt64(plain.count) ? plain[Int(number)] : nil
    }
}
