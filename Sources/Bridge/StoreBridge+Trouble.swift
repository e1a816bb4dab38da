import StoreFormat

extension StoreBridge {
    /// Why the store is not written any more, though it was opened for writing: its files are no longer at their path, or
    /// damage was met in it. Nil while all is well.
    public var problem: StoreError? { health.problem ?? StoreHealth.problem(of: store) }

    /// Sets what is told when the store's files are gone from their path, or the store was opened damaged.
    public func setProblemHandler(_ handler: @escaping @Sendable (StoreError) -> Void) { health.setHandler(handler) }

    /// Refuses to write a store in trouble.
    /// - Throws: `StoreError`: `ReadOnly`, `StoreReplaced` or `Damaged`.
    public func checkWritable() throws {
        if let problem { throw problem }
        guard let readOnlyReason else { return }
        throw StoreError(
            .readOnly, "\(store.path) is open read-only: \(readOnlyReason)",
            way: "correct the configuration and restart")
    }

    /// Refuses to read a store whose files are gone from their path: what is open is not what others mean by it.
    /// - Throws: `StoreError` `StoreReplaced`.
    public func checkPlace() throws {
        if let problem = health.problem, problem.code == .storeReplaced { throw problem }
        do {
            try store.checkPlace()
        } catch let error as StoreError {
            health.note(error)
            throw error
        }
    }
}
