import Foundation
import SQLite

/// The kernel's events on a store's log: somebody wrote to it. They come before the commit is visible, so that whoever
/// gets one has to look again for a while.
final class LogEvents {
    let descriptor: Int32
    private let log: String
    private let name: [UInt8]
    private var watch: Int32 = -1

    /// Nil where the kernel gives none (too many watches).
    init?(storePath: String) {
        let flags = Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)
        descriptor = inotify_init1(flags)
        guard descriptor >= 0 else { return nil }
        log = storePath + "-wal"
        name = Array((log as NSString).lastPathComponent.utf8)
        // The log is made with the first write and goes with the last connection: its coming is seen in the folder. So is
        // the going of a file that is to stay, such as a daemon's lock.
        let kinds = [IN_CREATE, IN_MOVED_TO, IN_DELETE, IN_MOVED_FROM].reduce(UInt32(0)) { $0 | UInt32($1) }
        guard inotify_add_watch(descriptor, RealPath.folder(of: storePath), kinds) >= 0 else { return nil }
        watchLog()
    }

    deinit { close(descriptor) }

    private func watchLog() {
        watch = inotify_add_watch(descriptor, log, UInt32(IN_MODIFY))
    }

    /// Reads all events that have come.
    /// - Returns: whether one of them was on the log.
    func drain() -> Bool {
        var isLog = false
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 8) { buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                if look(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { isLog = true }
            }
        }
        return isLog
    }

    private func look(_ events: UnsafeRawBufferPointer) -> Bool {
        var isLog = false
        var place = 0
        let size = MemoryLayout<inotify_event>.size
        while place + size <= events.count {
            let event = events.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            let text = events[(place + size)..<min(events.count, place + size + Int(event.len))].prefix { $0 != 0 }
            place += size + Int(event.len)
            if event.mask & UInt32(IN_IGNORED) != 0 {
                if event.wd == watch { watch = -1 }
            } else if event.wd == watch || event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                isLog = true
            } else if text.elementsEqual(name) {
                watchLog()
                isLog = true
            }
        }
        return isLog
    }
}
