/// A save by an instance that was given a unit since it last replayed: nothing is wrong with it but that it has not seen
/// the old owner's last changes.
public struct BehindSwitch: Error, Sendable {
    /// The refusal, for an instance that cannot replay.
    public let refusal: StoreError
}

extension StackInstance {
    /// Runs a save of this instance. One that is behind a switch in its favour replays, and runs it again: what the old
    /// owner wrote is then in the caches, and the version test sees to what is pending.
    /// - Throws: what the save throws.
    public func saving<T>(_ save: () throws -> T) throws -> T {
        do {
            return try save()
        } catch is BehindSwitch {
            try replay()
        }
        do {
            return try save()
        } catch let error as BehindSwitch {
            throw error.refusal
        }
    }
}
