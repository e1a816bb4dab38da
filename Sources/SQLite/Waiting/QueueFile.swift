import CLinux
import Foundation

/// The file of a queue: a page of memory that all its members share, and bytes to lock, one a ticket.
///
/// A lock on a ticket's byte says that its holder is alive, in whatever process: the kernel takes it away with the open
/// file. The locks are those of the open file (`F_OFD_SETLK`), which other closes in the process leave alone. Nothing in
/// the page is believed: it decides who waits for whom, never who may write.
final class QueueFile {
    let page: UnsafeMutablePointer<coexist_queue_page>
    let descriptor: Int32
    private let path: String
    private static let size = MemoryLayout<coexist_queue_page>.size
    /// The byte that every member has a share in; the one who gets it alone may remove the file.
    private static let membership: Int64 = 0
    /// Where the tickets' bytes begin, and how many there are before they would begin again.
    private static let tickets: Int64 = 1 << 20
    private static let ticketMask: UInt64 = 1 << 60 - 1

    /// Opens the file, and makes it where there is none, with the database's owner and permissions.
    /// - Returns: nil where that cannot be done: in a folder that may only be read, or on a file system without locks.
    init?(_ path: String, like database: String) {
        for _ in 0..<10 {
            guard let descriptor = Self.openFile(path, like: database) else { return nil }
            if Self.lock(descriptor, F_RDLCK, Self.membership) {
                guard Self.isAt(path, descriptor) else {
                    close(descriptor)
                    continue
                }
                guard let page = Self.map(descriptor) else {
                    close(descriptor)
                    return nil
                }
                (self.descriptor, self.page, self.path) = (descriptor, page, path)
                return
            }
            let isBeingRemoved = errno == EAGAIN || errno == EACCES
            close(descriptor)
            guard isBeingRemoved else { return nil }
            usleep(200)
        }
        return nil
    }

    /// Whether the file still lies at its path.
    var isThere: Bool { Self.isAt(path, descriptor) }

    /// The last member removes the file.
    deinit {
        munmap(page, Self.size)
        if Self.lock(descriptor, F_WRLCK, Self.membership), Self.isAt(path, descriptor) { unlink(path) }
        close(descriptor)
    }

    private static func openFile(_ path: String, like database: String) -> Int32? {
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW
        let known = open(path, flags)
        if known >= 0 { return known }
        var info = stat()
        guard errno == ENOENT, stat(database, &info) == 0 else { return nil }
        let made = open(path, flags | O_CREAT, info.st_mode & 0o666)
        guard made >= 0 else { return nil }
        // As SQLite does it for its own sidecars: the mask of one process is not to keep the others out.
        fchmod(made, info.st_mode & 0o666)
        if geteuid() == 0 { _ = fchown(made, info.st_uid, info.st_gid) }
        return made
    }

    private static func isAt(_ path: String, _ descriptor: Int32) -> Bool {
        var (here, there) = (stat(), stat())
        return fstat(descriptor, &here) == 0 && lstat(path, &there) == 0 && here.st_ino == there.st_ino
            && here.st_dev == there.st_dev && here.st_mode & S_IFMT == S_IFREG
    }

    private static func map(_ descriptor: Int32) -> UnsafeMutablePointer<coexist_queue_page>? {
        // Room on the disk before the first access: memory over a hole in a full disk ends the process.
        guard posix_fallocate(descriptor, 0, off_t(size)) == 0 else { return nil }
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let memory, memory != MAP_FAILED else { return nil }
        return memory.bindMemory(to: coexist_queue_page.self, capacity: 1)
    }

    // MARK: Tickets

    /// A ticket whose byte is locked; nil where the file system refuses.
    func takeTicket() -> UInt64? {
        let ticket = coexist_queue_next_ticket(page) & Self.ticketMask
        return Self.lock(descriptor, F_WRLCK, Self.tickets + Int64(ticket)) ? ticket : nil
    }

    func giveBack(_ ticket: UInt64) {
        _ = Self.lock(descriptor, F_UNLCK, Self.tickets + Int64(ticket))
    }

    /// A ticket of the range that somebody else holds: any; nil if there is none.
    func held(_ range: Range<UInt64>) -> UInt64? { Self.held(range, descriptor) }

    /// The same for a file that may be open for reading only.
    static func held(_ range: Range<UInt64>, _ descriptor: Int32) -> UInt64? {
        guard !range.isEmpty else { return nil }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(tickets + Int64(range.lowerBound))
        lock.l_len = off_t(range.upperBound - range.lowerBound)
        guard fcntl(descriptor, COEXIST_F_OFD_GETLK, &lock) == 0, lock.l_type != Int16(F_UNLCK) else { return nil }
        let start = Int64(lock.l_start) - tickets
        return start < 0 ? range.lowerBound : min(max(UInt64(start), range.lowerBound), range.upperBound - 1)
    }

    private static func lock(_ descriptor: Int32, _ type: Int32, _ byte: Int64) -> Bool {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = off_t(byte)
        lock.l_len = 1
        return fcntl(descriptor, COEXIST_F_OFD_SETLK, &lock) == 0
    }
}
