import Bridge
import Foundation
import SQLite
import StoreFormat
import Varlink

extension Examination {
    /// What adoption left in the store and beside it.
    static func coexistence(_ store: String) -> Examination {
        var result = Examination("coexistence", "coexistence")
        do {
            try StoreConnector.translating(store) {
                // First: with the file open in this process it would be opened as one in use, which leaves files beside it.
                let opened = try? Store.open(store)
                let connection = try StoreConnector.offlineReader(store)
                try connection.transaction(.deferred) { try result.addState(connection, store, opened) }
            }
        } catch {
            result.findings.append(.wrong(error))
        }
        result.addLeftovers(store)
        return result
    }

    private mutating func addState(_ connection: Connection, _ store: String, _ opened: Store?) throws {
        let isAdopted = try CoexistenceTables.exist(connection)
        add("adopted", .bool(isAdopted))
        guard isAdopted else { return }
        // Without its model a store cannot be asked what it should have: that is said elsewhere.
        if let opened {
            for problem in [
                try StoreHealth.lossSinceAdoption(opened, connection),
                try StoreHealth.registerProblem(opened, connection),
            ].compactMap({ $0 }) { findings.append(.wrong(problem)) }
        }
        guard let register = try OwnershipRegister.read(connection) else { return }
        let state = try CoexistenceState.read(connection)
        add("since", DateText.text(Date(timeIntervalSinceReferenceDate: state.adopted)))
        add("guard", state.guardMode.rawValue)
        add("timeline", .integer(state.timeline))
        add("commits", .integer(state.commits))
        add("purgeFloor", .integer(state.purgeFloor))
        let units = register.units.values.sorted { $0.name < $1.name }
        let frozen = units.filter(\.isFrozen).map(\.name)
        add("units", JSON(units.count))
        add("frozen", .array(frozen.map { .string($0) }), frozen.isEmpty ? "none" : frozen.joined(separator: ", "))
        if !frozen.isEmpty, !StoreLock.isHeld(storePath: store) {
            findings.append(
                .wrong(
                    "FrozenWithoutDaemon",
                    "\(frozen.joined(separator: ", ")): frozen, and the daemon that did so is gone",
                    way: "start the daemon: it undoes the freeze"))
        }
        try addGuard(connection, state.guardMode, isRunning: StoreLock.isHeld(storePath: store))
        add("backup", state.backup)
        if let backup = state.backup, !FileManager.default.fileExists(atPath: backup) {
            findings.append(
                .note("BackupGone", "the copy from before adoption is not there any more: \(backup)"))
        }
    }

    /// Triggers of the guard that somebody dropped or altered.
    private mutating func addGuard(_ connection: Connection, _ mode: GuardMode, isRunning: Bool) throws {
        let found = try GuardTriggers.deviations(from: mode, on: connection)
        // Without a daemon the guard `while-running` is away altogether.
        let isAway = mode == .whileRunning && !isRunning
        if isAway, try GuardTriggers.deviations(from: .off, on: connection).isEmpty { return }
        guard let first = found.first else { return }
        let more = found.count > 1 ? " and \(found.count - 1) more" : ""
        findings.append(
            .wrong(
                "GuardAltered",
                "\(first)\(more): missing or altered, though the guard is \(mode.rawValue): other programs' writes are not kept out",
                way: "start the daemon, or `coexistctl reload`: it puts the triggers in place"))
    }

    /// Files beside the store that nobody uses.
    private mutating func addLeftovers(_ store: String) {
        let path = store
        var found = StoreLock.isHeld(storePath: store) ? [] : StoreLeftovers.found(of: store)
        if WriterQueue.members(at: StoreQueue.path(of: store)).isEmpty, !isOpen(path) {
            for suffix in ["-coexist-queue", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                found.append(path + suffix)
            }
        }
        let folder = NoticeFolder.path(of: store)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            let process = name.split(separator: "-").first.flatMap { Int32($0) }
            if let process, kill(process, 0) != 0, errno == ESRCH { found.append("\(folder)/\(name)") }
        }
        add("leftovers", .array(found.map { .string($0) }), found.isEmpty ? "none" : found.joined(separator: "\n"))
        if !found.isEmpty {
            findings.append(
                .note(
                    "Leftovers", "\(found.count) file\(found.count == 1 ? "" : "s") of processes that were killed",
                    way: "nothing has to be done: who opens the store next uses or removes them"))
        }
    }

    /// Whether some process has the store open. Where that cannot be seen, it may be.
    private func isOpen(_ path: String) -> Bool {
        LockTable.locks(databasePath: path).map { locks in locks.contains { $0.place == "open" } } ?? true
    }
}
