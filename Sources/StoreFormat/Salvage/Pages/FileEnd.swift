import Foundation

/// Whether a database's file reaches as far as it says itself: what lies beyond its end is lost, and no page that is still
/// there need tell of it.
enum FileEnd {
    /// How many pages lie beyond the end of the file, and are in no log either. A header that makes no sense says nothing.
    /// - Parameters: paths of copies: the files are read raw.
    static func missingPages(file: String, log: String) -> Int {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped), data.count >= 100,
            data.starts(with: Array("SQLite format 3\0".utf8))
        else { return 0 }
        func number(_ place: Int, _ size: Int) -> Int { data[place..<place + size].reduce(0) { $0 << 8 | Int($1) } }
        let stored = number(16, 2)
        let pageSize = stored == 1 ? 65_536 : stored
        guard pageSize >= 512, pageSize & (pageSize - 1) == 0 else { return 0 }
        let there = data.count / pageSize
        if let logged = LogOrigin(file: file, log: log)?.committedPages(beyond: there) {
            return max(0, logged.count - there - logged.found)
        }
        // Writers that do not keep the count leave the two counters apart.
        return number(24, 4) == number(92, 4) ? max(0, number(28, 4) - there) : 0
    }
}
