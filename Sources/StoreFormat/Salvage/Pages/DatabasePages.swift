import Foundation

/// The pages of a database file, read without SQLite: for one whose own list of tables is lost
/// (sqlite.org/fileformat.html, sections 1 and 2).
///
/// Nothing in the file is believed: whatever does not fit makes its page unreadable, and no more.
struct DatabasePages {
    /// What the file itself says a page is, in the pointer map that files with auto-vacuum have.
    enum Role: UInt8 {
        case root = 1
        case free = 2
        case firstOverflow = 3
        case laterOverflow = 4
        case node = 5
    }

    private let data: Data
    /// Whether the file begins as a database does.
    let isHeaderSound: Bool
    let pageSize: Int
    /// The bytes of a page that hold content.
    let usable: Int
    let count: Int
    let hasPointerMap: Bool

    /// - Parameter path: a copy that nobody has open. A header that makes no sense is taken for that of a new store.
    init(_ path: String) throws {
        data = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        isHeaderSound = data.prefix(16).elementsEqual(Array("SQLite format 3".utf8) + [0])
        var size = 4096
        var reserved = 0
        var hasMap = true
        if isHeaderSound, data.count >= 100 {
            let stored = Int(data[16]) << 8 | Int(data[17])
            let real = stored == 1 ? 65_536 : stored
            if real >= 512, real & (real - 1) == 0 {
                size = real
                reserved = Int(data[20])
                hasMap = data[52..<56].contains { $0 != 0 }
            }
        }
        pageSize = size
        usable = max(480, size - reserved)
        count = data.count / size
        hasPointerMap = hasMap
    }

    /// The byte at an offset of a page from 1 on; pages and offsets are in range.
    func byte(_ page: Int, _ offset: Int) -> UInt8 { data[(page - 1) * pageSize + offset] }

    func bytes(_ page: Int, _ range: Range<Int>) -> Data {
        let start = (page - 1) * pageSize
        return data[start + range.lowerBound..<start + range.upperBound]
    }

    func number(_ page: Int, _ offset: Int, size: Int) -> Int {
        (0..<size).reduce(0) { $0 << 8 | Int(byte(page, offset + $1)) }
    }

    func isPage(_ number: Int) -> Bool { number >= 1 && number <= count }

    // MARK: The pointer map

    private var entriesPerMapPage: Int { usable / 5 }

    /// Whether the page is one of the pointer map's own.
    func isMapPage(_ page: Int) -> Bool { hasPointerMap && page >= 2 && (page - 2) % (entriesPerMapPage + 1) == 0 }

    /// What the page is, and the page that leads to it. Nil where the map does not tell.
    func role(of page: Int) -> (role: Role, parent: Int)? {
        guard hasPointerMap, page > 2, isPage(page), !isMapPage(page) else { return nil }
        let map = (page - 2) / (entriesPerMapPage + 1) * (entriesPerMapPage + 1) + 2
        let offset = (page - map - 1) * 5
        guard isPage(map), offset >= 0, offset + 5 <= usable, let role = Role(rawValue: byte(map, offset)) else {
            return nil
        }
        return (role, number(map, offset + 1, size: 4))
    }

    /// The pages that hold nothing, by the list of them that the header begins: rows in them have been deleted.
    func freePages() -> Set<Int> {
        var free: Set<Int> = []
        guard isHeaderSound, data.count >= 100 else { return free }
        var trunk = number(1, 32, size: 4)
        while isPage(trunk), free.insert(trunk).inserted {
            for i in 0..<min(number(trunk, 4, size: 4), usable / 4 - 2) {
                free.insert(number(trunk, 8 + 4 * i, size: 4))
            }
            trunk = number(trunk, 0, size: 4)
        }
        return free
    }
}
