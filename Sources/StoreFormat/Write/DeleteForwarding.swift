import Synchronization

/// The way from one stack's deletes to the other stack's rows: what `crossStackDeletes: forward` puts in place.
///
/// A delete whose rules reach rows of the other stack is then one SQLite transaction with two history transactions. The
/// first is the owner's part, at the epochs that the owner's instance holds; the second is the delete itself, which the
/// first names as its cause.
public final class DeleteForwarding: Sendable {
    /// A point in a forwarded delete: for tests that end the process there.
    public enum Moment: String, Sendable, Hashable, CaseIterable {
        /// The owner's part is written, nothing else.
        case ownersPart
        /// Both parts are written, and not committed.
        case bothParts
        case committed
    }

    private struct Owner: Sendable {
        weak var instance: (any StackInstance)?
    }

    private let state: Mutex<Owner>
    private let running = Atomic<Int>(0)
    private let probe: @Sendable (Moment) -> Void

    /// A way to the owner.
    /// - Parameters:
    ///   - owner: an instance of the other stack on the same store; it is not kept alive.
    ///   - probe: called at each moment, on the saving thread.
    public init(to owner: any StackInstance, probe: @escaping @Sendable (Moment) -> Void = { _ in }) {
        state = Mutex(Owner(instance: owner))
        self.probe = probe
    }

    /// The owner's instance; nil once it is gone.
    public var owner: (any StackInstance)? { state.withLock(\.instance) }
    /// Forwarded deletes that have begun and are neither committed nor undone. None outlives its transaction.
    public var pending: Int { running.load(ordering: .relaxed) }

    func reach(_ moment: Moment) { probe(moment) }
    func begin() { running.add(1, ordering: .relaxed) }
    func end() { running.subtract(1, ordering: .relaxed) }
}

extension StackInstance {
    /// Has deletes of this instance whose rules reach rows of the other stack carried out in that stack's name, in the
    /// same transaction. Without it they are refused.
    ///
    /// ```swift
    /// let owner = try ModelInstance(path: path)
    /// try legacy.forwardDeletes(to: owner)
    /// ```
    /// - Parameter owner: an instance of the other stack on the same store, which the caller keeps. It replays what was
    ///   written in its name as it does others' changes.
    /// - Throws: `StoreError` `Refused` for an instance of the same stack, `OtherStore` for one of another store.
    public func forwardDeletes(to owner: any StackInstance) throws {
        guard owner.stack != stack else {
            throw StoreError(
                .refused, "deletes of the \(stack.rawValue) stack are forwarded to the \(stack.other.rawValue) stack",
                way: "give an instance of that one")
        }
        guard owner.store.uuid == store.uuid else {
            throw StoreError(
                .otherStore, "\(owner.store.path) is another store than \(store.path)",
                way: "give an instance on the same store")
        }
        setDeleteForwarding(DeleteForwarding(to: owner))
    }
}
