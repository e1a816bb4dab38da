import StoreFormat

extension StoreBridge {
    /// Saves what a context has pending through the bridge's instance of the stack that owns it now.
    /// - Returns: the history transaction's number; nil if nothing had to be written.
    /// - Throws: see `StackInstance.forward(pending:)`; the changes are then still pending.
    @discardableResult
    public func forward(pending context: some PendingChanges) throws -> Int64? {
        try checkWritable()
        return try instance(owner(of: context)).forward(pending: context)
    }

    /// The one stack that owns all that is pending; where there are two, the other than the context's, which names what is
    /// not its own.
    private func owner(of context: some PendingChanges) throws -> StackName {
        let other = context.stackInstance.stack.other
        // What is wrong with the changes, the forwarding itself tells.
        guard let operations = try? context.pendingBatch().operations else { return other }
        let entities = operations.map { operation in
            switch operation {
            case .insert(let entity, _, _): entity
            case .update(let object, _, _), .delete(let object, _): object.entity
            }
        }
        let owners = Set(try Set(entities).map { try unit(of: $0).owner })
        return owners.count == 1 ? owners.first ?? other : other
    }
}
