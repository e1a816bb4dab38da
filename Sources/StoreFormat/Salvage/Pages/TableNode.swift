import SQLite

/// A page of a table's tree.
struct TableNode {
    /// A row: its key and the values that its record has, which may be fewer than the table has columns.
    struct Row {
        let key: Int64
        var values: [SQLValue]
        /// Values that lie on pages which cannot be read, and are NULL here.
        var lost = 0
    }

    /// The rows of a leaf; empty for an inner page.
    private(set) var rows: [Row] = []
    /// The pages that an inner page leads to.
    private(set) var children: [Int] = []
    /// Whether something of the page did not fit.
    private(set) var isDamaged = false

    /// What the page begins with: 13 for a leaf of a table, 5 for an inner page, 10 and 2 for those of indexes.
    static func kind(_ page: Int, in pages: DatabasePages) -> UInt8 { pages.byte(page, start(page)) }

    private static func start(_ page: Int) -> Int { page == 1 ? 100 : 0 }

    /// Reads a page; nil where it is none of a table's tree.
    init?(_ page: Int, in pages: DatabasePages) {
        let start = Self.start(page)
        let kind = pages.byte(page, start)
        guard kind == 13 || kind == 5 else { return nil }
        let header = start + (kind == 13 ? 8 : 12)
        let count = pages.number(page, start + 3, size: 2)
        guard header + 2 * count <= pages.usable else { return nil }
        var last = Int64.min
        for i in 0..<count {
            let offset = pages.number(page, header + 2 * i, size: 2)
            guard offset >= header + 2 * count, offset < pages.usable else {
                isDamaged = true
                continue
            }
            if kind == 5 {
                guard offset + 4 <= pages.usable else { continue }
                children.append(pages.number(page, offset, size: 4))
            } else if let row = Self.row(page, offset, pages), row.key > last {
                last = row.key
                rows.append(row)
            } else {
                isDamaged = true
            }
        }
        if kind == 5 { children.append(pages.number(page, start + 8, size: 4)) }
        // A page whose cells are all wrong is not one of a table, whatever its first byte says.
        if kind == 13, count > 0, rows.isEmpty { return nil }
    }

    private static func row(_ page: Int, _ offset: Int, _ pages: DatabasePages) -> Row? {
        var reader = VariableNumbers(limit: pages.usable) { pages.byte(page, $0) }
        reader.offset = offset
        guard let length = reader.next(), let key = reader.next(), length >= 1, length <= 1 << 30 else { return nil }
        let size = Int(length)
        let local = localSize(size, pages.usable)
        guard reader.offset + local + (local < size ? 4 : 0) <= pages.usable else { return nil }
        var payload = [UInt8](pages.bytes(page, reader.offset..<reader.offset + local))
        if local < size {
            let first = pages.number(page, reader.offset + local, size: 4)
            overflow(&payload, size, from: first, of: page, pages)
        }
        return record(payload, size).map { Row(key: key, values: $0.values, lost: $0.lost) }
    }

    /// The bytes of a payload that stand in the page itself.
    private static func localSize(_ size: Int, _ usable: Int) -> Int {
        guard size > usable - 35 else { return size }
        let least = (usable - 12) * 32 / 255 - 23
        let some = least + (size - least) % (usable - 4)
        return some <= usable - 35 ? some : least
    }

    /// Adds what lies on pages of its own, as far as those are what the pointer map says.
    private static func overflow(
        _ payload: inout [UInt8], _ size: Int, from first: Int, of page: Int, _ pages: DatabasePages
    ) {
        var (next, before) = (first, page)
        while payload.count < size, pages.isPage(next) {
            if pages.hasPointerMap {
                let expected: DatabasePages.Role = before == page ? .firstOverflow : .laterOverflow
                guard let found = pages.role(of: next), found.role == expected, found.parent == before else { return }
            }
            let count = min(size - payload.count, pages.usable - 4)
            payload += pages.bytes(next, 4..<4 + count)
            (before, next) = (next, pages.number(next, 0, size: 4))
        }
    }

    /// A record's values; nil where its header does not account for each of its bytes.
    private static func record(_ payload: [UInt8], _ size: Int) -> (values: [SQLValue], lost: Int)? {
        var reader = VariableNumbers(limit: payload.count) { payload[$0] }
        guard let header = reader.next(), header >= 1, header <= payload.count else { return nil }
        var types: [Int64] = []
        while reader.offset < header {
            guard let type = reader.next(), type >= 0, type != 10, type != 11 else { return nil }
            types.append(type)
        }
        guard reader.offset == header, types.count <= 2_000 else { return nil }
        var offset = Int(header)
        var values: [SQLValue] = []
        var lost = 0
        for type in types {
            let length = length(of: type)
            guard length <= size - offset else { return nil }
            if offset + length <= payload.count {
                values.append(value(type, payload[offset..<offset + length]))
            } else {
                values.append(.null)
                lost += 1
            }
            offset += length
        }
        return offset == size ? (values, lost) : nil
    }

    private static func length(of type: Int64) -> Int {
        switch type {
        case 0, 8, 9: 0
        case 1...4: Int(type)
        case 5: 6
        case 6, 7: 8
        default: Int((type - 12) / 2)
        }
    }

    private static func value(_ type: Int64, _ bytes: ArraySlice<UInt8>) -> SQLValue {
        switch type {
        case 0: return .null
        case 8, 9: return .integer(type - 8)
        case 1...6:
            let start: Int64 = bytes.first.map { $0 & 0x80 != 0 } ?? false ? -1 : 0
            return .integer(bytes.reduce(start) { $0 << 8 | Int64($1) })
        case 7: return .real(Double(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
        default: return type % 2 == 0 ? .blob([UInt8](bytes)) : .text(String(decoding: bytes, as: UTF8.self))
        }
    }
}

/// Numbers of 1 to 9 bytes, one after the other.
private struct VariableNumbers {
    let limit: Int
    let byte: (Int) -> UInt8
    var offset = 0

    init(limit: Int, byte: @escaping (Int) -> UInt8) {
        self.limit = limit
        self.byte = byte
    }

    mutating func next() -> Int64? {
        var result: UInt64 = 0
        for i in 0..<9 {
            guard offset < limit else { return nil }
            let next = byte(offset)
            offset += 1
            if i == 8 { return Int64(bitPattern: result << 8 | UInt64(next)) }
            result = result << 7 | UInt64(next & 0x7F)
            if next & 0x80 == 0 { return Int64(bitPattern: result) }
        }
        return nil
    }
}
