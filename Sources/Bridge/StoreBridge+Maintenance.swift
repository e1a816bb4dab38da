import Foundation
import SQLite
import StoreFormat

extension StoreBridge {
    /// Moves the log into the store. Being busy is a result: try again later. Readers are waited for, but not with the
    /// writer's lock: saves go on.
    /// - Parameter seconds: how long to wait for readers.
    public func checkpoint(within seconds: Double = 5) throws -> Connection.CheckpointResult {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            let result = try maintain { try $0.checkpoint(.truncate, waitsForReaders: false) }
            if result.isComplete || .now >= end { return result }
            usleep(50_000)
        }
    }

    /// Checks the running store against every rule.
    ///
    /// No age ends it: it takes as long as the store is large. It keeps the log from being moved no longer than it looks at
    /// one subject.
    /// - Parameter progress: called with the subjects that are done, and with all.
    public func verify(progress: (Int, Int) -> Void = { _, _ in }) throws -> [Violation] {
        let store = store
        return try readAtLength { try StoreVerifier.verify($0, store: store, progress: progress) }
    }

    /// Looks whether tables or columns are gone from the store: `problem` says so then.
    public func checkParts() {
        let store = store
        try? read { try StoreHealth.checkParts(of: store, $0) }
    }

    /// Reads with a connection that no age ends: for what looks at all of the store, and gives its snapshot up in between.
    /// A file that took the store's place is not taken for it, and the old one not for what lies at the path.
    func readAtLength<T>(_ body: (Connection) throws -> T) throws -> T {
        try checkPlace()
        return try StoreConnector.translating(store.path) { try longReaders.use(body) }
    }

    /// Who keeps the log above `maximumLogBytes`, as far as it can be seen; nil while nobody does.
    public var logReader: String? { keeper.reader }

    /// Applies a changed configuration: the owners that it names must be those of the register.
    /// - Throws: `StoreError` `Refused` where they are not.
    public func checkSeed(_ seed: OwnershipSeed) throws {
        let store = store
        let differences = try read { try StorePreparation.differences($0, store, seed) }
        guard differences.isEmpty else {
            throw StoreError(.refused, differences.joined(separator: "; "), way: "the configuration was not reloaded")
        }
    }

    /// Puts the guard's triggers of another mode in place.
    /// - Parameter user: who wants it, for the log.
    public func setGuard(_ mode: GuardMode, user: String? = nil) throws {
        let before = guardKeeper.mode
        try maintain { connection in
            try connection.transaction(.immediate) { try GuardKeeper.install(mode, on: connection) }
        }
        guardKeeper.set(mode)
        if before != mode { tell(GuardKeeper.change(from: before, to: mode), by: user) }
    }

    /// How other programs' writes are met; nil for a store that is open read-only, whose guard is left alone.
    public var guardMode: GuardMode? { readOnlyReason == nil ? guardKeeper.mode : nil }

    /// Puts triggers of the guard back that somebody dropped or altered.
    /// - Returns: whether there were such.
    public func mendGuard() -> Bool { problem == nil && guardKeeper.mend() }
}
