import StoreFormat
import Synchronization

extension StoreBridge {
    /// Says whether deletes whose rules reach the other stack's rows are carried out in its name, or refused.
    public func forwardDeletes(_ isForwarding: Bool) {
        var made: [StackName: DeleteForwarding] = [:]
        if isForwarding {
            for stack in StackName.allCases {
                made[stack] = DeleteForwarding(to: instance(stack.other), probe: options.forwardProbe)
            }
        }
        for stack in StackName.allCases { instance(stack).setDeleteForwarding(made[stack]) }
        forwardings.withLock { $0 = made }
    }

    /// Whether such deletes are forwarded, and how many are on their way now. None outlives its transaction.
    public var deleteForwarding: (isOn: Bool, pending: Int) {
        forwardings.withLock { ways in (!ways.isEmpty, ways.values.reduce(0) { $0 + $1.pending }) }
    }

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
