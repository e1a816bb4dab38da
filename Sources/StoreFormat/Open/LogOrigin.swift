import Foundation
import SQLite

/// Whether a write-ahead log belongs to the file that it lies beside.
///
/// SQLite asks a log only whether it is whole. One that is left over from another file, or from another state of the same
/// one, as when somebody copies a backup over the main file alone, is whole too: its pages would be taken for the file's.
///
/// Two things tell them apart. One is the change counter in page 1 (sqlite.org/fileformat.html, section 1.3.7). Whoever
/// writes page 1 sets it to the one it read, plus one; so the file's own is never below that of the log's first page 1
/// less one, nor above that of its last. A log without page 1 cannot have changed the number of pages. The other is what
/// the file says of itself alone, and together with the log: ``Mark``.
///
/// Not noticed, since nothing in the files speaks against it: a log of a store that has not been adopted, whose counter
/// agrees with the file's. It does where both are new, or where one connection made all commits that lie between them.
struct LogOrigin {
    private let file: Data
    private let log: Data

    /// - Parameters: paths of copies: the files are read raw.
    init?(file: String, log: String) {
        guard let file = try? Data(contentsOf: URL(fileURLWithPath: file), options: .alwaysMapped),
            let log = try? Data(contentsOf: URL(fileURLWithPath: log), options: .alwaysMapped)
        else { return nil }
        self.file = file
        self.log = log
    }

    /// Why the log cannot be the file's; nil where nothing speaks against it.
    func contradiction() -> String? {
        guard file.count >= 100, log.count >= Self.headerSize, number(log, 0) & ~1 == 0x377F_0682 else { return nil }
        let pageSize = Int(number(log, 8))
        let own = Int(file[16]) << 8 | Int(file[17])
        guard pageSize == (own == 1 ? 65_536 : own) else {
            return "the log has pages of \(pageSize) bytes, the file of \(own == 1 ? 65_536 : own)"
        }
        // The cheap look first; what it says is only believed of frames whose checksums are right.
        guard contradiction(frames(pageSize, isChecked: false)) != nil else { return nil }
        return contradiction(frames(pageSize, isChecked: true))
    }

    /// Why what the file says of itself alone does not go together with what it says with the log.
    func contradiction(_ alone: Mark, _ logged: Mark) -> String? {
        if let uuid = alone.uuid, let other = logged.uuid, uuid != other {
            return "the file is the store \(uuid), the log is of \(other)"
        }
        guard let adopted = alone.adopted, let other = logged.adopted, let first = alone.commits,
            let last = logged.commits
        else { return nil }
        guard adopted == other else { return "file and log were adopted at different times" }
        // Each commit since the file was last written is in the log, and no more of ours than there are in all.
        let commits = frames(Int(number(log, 8)), isChecked: false).commits
        guard last >= first, last &- first <= commits else {
            return "the file is at commit \(first), and a log of \(commits) commits ends at \(last)"
        }
        return nil
    }

    /// How many pages the file has after the last commit in the log, and how many of those behind a page are in the log;
    /// nil for a log without a commit.
    func committedPages(beyond last: Int) -> (count: Int, found: Int)? {
        guard log.count >= Self.headerSize, number(log, 0) & ~1 == 0x377F_0682 else { return nil }
        let pageSize = Int(number(log, 8))
        guard pageSize >= 512 else { return nil }
        // The cheap look first.
        guard let claimed = frames(pageSize, isChecked: false).pages else { return nil }
        if Int(claimed) <= last { return (Int(claimed), 0) }
        let found = frames(pageSize, isChecked: true)
        guard let pages = found.pages else { return nil }
        var behind: Set<UInt32> = []
        for frame in 0..<found.count {
            let page = number(log, Self.headerSize + frame * (Self.frameHeaderSize + pageSize))
            if page > last, page <= pages { behind.insert(page) }
        }
        return (Int(pages), behind.count)
    }

    private static let headerSize = 32
    private static let frameHeaderSize = 24

    /// What the committed frames say.
    private struct Frames {
        /// Change counters of page 1, first and last.
        var first: UInt32?
        var last: UInt32 = 0
        /// The file's size in pages after the last commit; nil without one.
        var pages: UInt32?
        var commits: Int64 = 0
        /// All frames up to the last commit.
        var count = 0
    }

    private func contradiction(_ frames: Frames) -> String? {
        guard let pages = frames.pages else { return nil }
        let counter = number(file, 24)
        if let first = frames.first {
            guard counter &- (first &- 1) <= frames.last &- (first &- 1) else {
                return "the file is at change \(counter), the log begins after \(first &- 1) and ends at \(frames.last)"
            }
        } else if counter == number(file, 92), number(file, 28) != pages {
            return "the file has \(number(file, 28)) pages, and the log is of one with \(pages)"
        }
        return nil
    }

    private func frames(_ pageSize: Int, isChecked: Bool) -> Frames {
        var found = Frames()
        var pending = found
        let salts = (number(log, 16), number(log, 20))
        var sum = isChecked ? checksum(0..<24, (0, 0)) : (0, 0)
        guard !isChecked || sum == (number(log, 24), number(log, 28)) else { return found }
        var place = Self.headerSize
        while place + Self.frameHeaderSize + pageSize <= log.count {
            guard (number(log, place + 8), number(log, place + 12)) == salts else { break }
            let page = place + Self.frameHeaderSize
            if isChecked {
                sum = checksum(place..<place + 8, sum)
                sum = checksum(page..<page + pageSize, sum)
                guard sum == (number(log, place + 16), number(log, place + 20)) else { break }
            }
            if number(log, place) == 1 {
                pending.last = number(log, page + 24)
                pending.first = pending.first ?? pending.last
            }
            pending.count += 1
            // A frame that names the file's size ends a transaction.
            let pages = number(log, place + 4)
            if pages > 0 {
                pending.pages = pages
                pending.commits += 1
                found = pending
            }
            place = page + pageSize
        }
        return found
    }

    /// Big endian, as everything in both headers.
    private func number(_ data: Data, _ place: Int) -> UInt32 {
        data[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The log's checksum (sqlite.org/fileformat.html, section 4.2), whose words are in the order that the magic number says.
    private func checksum(_ range: Range<Int>, _ start: (UInt32, UInt32)) -> (UInt32, UInt32) {
        let isBig = number(log, 0) & 1 == 1
        return log.withUnsafeBytes { bytes in
            var (a, b) = start
            for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                let first = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                let second = bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                a &+= (isBig ? first.bigEndian : first.littleEndian) &+ b
                b &+= (isBig ? second.bigEndian : second.littleEndian) &+ a
            }
            return (a, b)
        }
    }
}

extension LogOrigin {
    /// What a store says of itself.
    struct Mark {
        var uuid: String?
        /// When it was adopted, and how many commits of ours it has seen since: every one of them writes that row.
        var adopted: Double?
        var commits: Int64?

        /// What cannot be read is not there: in a new store the log holds all tables.
        init(_ connection: Connection) {
            uuid = try? connection.scalar("SELECT Z_UUID FROM Z_METADATA")?.textValue
            let state = try? connection.query("SELECT ADOPTED, COMMITS FROM COEXIST_STATE").first
            adopted = state?[0].doubleValue
            commits = state?[1].integerValue
        }
    }
}

extension StoreError {
    static func staleLog(_ path: String, _ why: String) -> StoreError {
        StoreError(
            .staleLog, "\(path)-wal is not the log of \(path): \(why)",
            way: "put the file and the log that belong together back, or move the log away to open the file without it")
    }
}
