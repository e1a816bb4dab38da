import Foundation
import SQLite
import StoreFormat
import Varlink

extension Examination {
    /// Who holds the store: SQLite's locks, the queue of our writers, the daemon's lock.
    static func locks(_ store: String) -> Examination {
        var result = Examination("locks", "locks")
        let isHeld = StoreLock.isHeld(storePath: store)
        let daemon = isHeld ? StoreLock.holder(of: store) : nil
        result.add(
            "daemon", isHeld ? JSON(Int(daemon ?? 0)) : .null,
            isHeld ? "process \(name(daemon ?? 0)) holds the store" : "none holds the store")
        let members = WriterQueue.members(at: StoreQueue.path(of: store))
        result.add("queue", .array(members.map(json)), members.isEmpty ? "empty" : lines(members.map(text)))
        guard let locks = LockTable.locks(databasePath: store) else {
            result.add("locks", .null, "cannot be seen: /proc/locks may not be read here")
            return result
        }
        result.add("locks", .array(locks.map(json)), locks.isEmpty ? "none" : lines(locks.map(text)))
        for lock in locks where lock.isStopped && !lock.isWaiting && lock.isExclusive {
            result.findings.append(
                .wrong(
                    "StoppedHolder", "process \(owner(lock)) holds the \(lock.place) lock, and is stopped",
                    way: "continue it, or end it: its transaction is undone then"))
        }
        for member in members where member.since != nil && ProcessState(member.processID)?.isStopped == true {
            let isNamed = locks.contains { $0.processID == member.processID && $0.isStopped && $0.isExclusive }
            if isNamed { continue }
            result.findings.append(
                .wrong(
                    "StoppedWriter", "process \(name(member.processID)) is stopped in its turn to write",
                    way: "continue it, or end it"))
        }
        return result
    }

    private static func lines(_ texts: [String]) -> String { texts.joined(separator: "\n") }

    private static func name(_ process: Int32) -> String {
        guard process > 0 else { return "in another namespace" }
        return "\(process) (\(ProcessState(process)?.name ?? "its name cannot be seen from here"))"
    }

    private static func owner(_ lock: LockTable.Lock) -> String {
        guard let id = lock.processID else { return "in another namespace" }
        return "\(id) (\(lock.processName ?? "its name cannot be seen from here"))"
    }

    private static func text(_ lock: LockTable.Lock) -> String {
        let how = lock.isWaiting ? "waits for" : lock.isExclusive ? "alone has" : "shares"
        return "process \(owner(lock)) \(how) \(lock.place)\(lock.isStopped ? ", and is stopped" : "")"
    }

    private static func json(_ lock: LockTable.Lock) -> JSON {
        [
            "lock": .string(lock.place), "file": .string(lock.suffix), "exclusive": .bool(lock.isExclusive),
            "waiting": .bool(lock.isWaiting), "process": lock.processID.map { JSON(Int($0)) } ?? .null,
            "name": lock.processName.map { .string($0) } ?? .null, "stopped": .bool(lock.isStopped),
        ]
    }

    private static func text(_ member: WriterQueue.Member) -> String {
        let since = member.since.flatMap(DateText.text).map { "writes since \($0)" } ?? "waits"
        return "process \(name(member.processID))\(member.label.isEmpty ? "" : ", \(member.label),") \(since)"
    }

    private static func json(_ member: WriterQueue.Member) -> JSON {
        [
            "process": member.processID > 0 ? JSON(Int(member.processID)) : .null, "label": .string(member.label),
            "since": member.since.flatMap(DateText.text).map { .string($0) } ?? .null,
        ]
    }
}
