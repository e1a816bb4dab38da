import StoreFormat

extension StoreBridge {
    /// Saves what a context of one stack has pending through the bridge's instance of the other.
    /// - Returns: the history transaction's number; nil if nothing had to be written.
    /// - Throws: see `StackInstance.forward(pending:)`; the changes are then still pending.
    @discardableResult
    public func forward(pending context: some PendingChanges) throws -> Int64? {
        try checkWritable()
        return try instance(context.stackInstance.stack.other).forward(pending: context)
    }
}
