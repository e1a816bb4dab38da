import CLinux
import Foundation

extension QueueFile {
    /// Notes who has a ticket.
    func note(_ ticket: UInt64, label: [UInt8]) {
        let slot = coexist_queue_slot_at(page, ticket)
        guard let slot else { return }
        coexist_queue_slot_set_ticket(slot, 0)
        slot.pointee.since_nanoseconds = 0
        slot.pointee.pid = getpid()
        slot.pointee.pid_namespace = ProcessNamespace.own
        withUnsafeMutableBytes(of: &slot.pointee.label) { place in
            let count = min(place.count, label.count)
            label.withUnsafeBytes { place.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            slot.pointee.label_length = UInt32(count)
        }
        coexist_queue_slot_set_ticket(slot, ticket)
    }

    /// Notes that a ticket's holder has got the write lock.
    func noteStart(_ ticket: UInt64) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        coexist_queue_slot_at(page, ticket).pointee.since_nanoseconds =
            UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    }

    func forget(_ ticket: UInt64) {
        let slot = coexist_queue_slot_at(page, ticket)
        if let slot, coexist_queue_slot_ticket(slot) == ticket { coexist_queue_slot_set_ticket(slot, 0) }
    }

    /// The other members that have a ticket now, in the order of their tickets.
    var members: [WriterQueue.Member] { Self.members(UnsafePointer(page), descriptor) }

    /// The members of a queue, looked at from outside: nothing is changed.
    static func members(at path: String) -> [WriterQueue.Member] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var copy = coexist_queue_page()
        let size = MemoryLayout<coexist_queue_page>.size
        guard pread(descriptor, &copy, size, 0) == size else { return [] }
        return members(&copy, descriptor)
    }

    private static func members(
        _ page: UnsafePointer<coexist_queue_page>, _ descriptor: Int32
    ) -> [WriterQueue.Member] {
        withUnsafeBytes(of: page.pointee.slots) { bytes in
            let slots = bytes.bindMemory(to: coexist_queue_slot.self)
            return slots.compactMap { member($0, descriptor) }.sorted { $0.ticket < $1.ticket }
        }
    }

    private static func member(_ slot: coexist_queue_slot, _ descriptor: Int32) -> WriterQueue.Member? {
        // Who leaves while this is read has no lock on the ticket any more.
        let ticket = slot.ticket
        guard ticket != 0, ticket < 1 << 60, held(ticket..<ticket + 1, descriptor) != nil else { return nil }
        let label = withUnsafeBytes(of: slot.label) {
            String(decoding: $0.prefix(Int(min(slot.label_length, UInt32($0.count)))), as: UTF8.self)
        }
        let since = slot.since_nanoseconds
        return WriterQueue.Member(
            ticket: ticket, processID: ProcessNamespace.isOwn(slot.pid_namespace) ? slot.pid : 0, label: label,
            since: since == 0 ? nil : Date(timeIntervalSince1970: Double(since) / 1e9))
    }
}
