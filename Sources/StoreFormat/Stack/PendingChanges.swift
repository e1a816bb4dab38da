/// A context whose unsaved changes another stack can save: `NSManagedObjectContext` and `ModelContext`.
///
/// Used through `forward(pending:)`.
public protocol PendingChanges: AnyObject {
    /// The instance that the context is on.
    var stackInstance: any StackInstance { get }
    /// The changes as a batch, on top of the rows as they are committed now: what others changed meanwhile is settled as
    /// the context settles it at a save. Changes nothing in the context.
    /// - Throws: `StoreError`: `VersionConflict`, `ValidationFailed`, `DeleteDenied`, naming every object.
    func pendingBatch() throws -> ObjectBatch
    /// Takes the changes as saved: new objects get their identities, all others are read anew.
    func settleForwarded(_ result: SaveResult)
}

extension StackInstance {
    /// Saves, through this instance, what a context of another has pending: the way out for a context that was refused with
    /// `OwnershipViolation` or `StaleEpoch` after a handover. All of it is written in one transaction of this stack, or
    /// nothing is.
    ///
    /// ```swift
    /// do {
    ///     try context.save()
    /// } catch let error as StoreError where error.code == .ownershipViolation {
    ///     try owner.forward(pending: context)
    /// }
    /// ```
    ///
    /// Delete rules are this stack's to apply. The history transaction has the context's author and name, which are the
    /// program's to set, and the record of writers has this instance and its epoch. To be called where the context may be
    /// used.
    /// - Returns: the history transaction's number; nil if nothing had to be written.
    /// - Throws: `StoreError`: `VersionConflict` for rows that changed since the context read them, by the context's merge
    ///   policy; `OwnershipViolation` naming the objects that this stack does not own either; `ValidationFailed`,
    ///   `UniqueConflict` and whatever else a save throws. The changes are then still pending in the context. `Refused` for
    ///   a context of this instance, `OtherStore` for one of another store.
    @discardableResult
    public func forward(pending context: some PendingChanges) throws -> Int64? {
        let from = context.stackInstance
        guard from.instanceName != instanceName else {
            throw StoreError(
                .refused, "the context is one of this instance of the \(stack.rawValue) stack itself", way: "save it")
        }
        guard from.store.uuid == store.uuid else {
            throw StoreError(
                .otherStore, "the context is on \(from.store.path), which is another store than \(store.path)",
                way: "give it to an instance on its own store")
        }
        // A row can change between the look at it and the save: then it is looked at again.
        var attempts = 5
        while true {
            let batch: ObjectBatch
            do {
                batch = try context.pendingBatch()
            } catch let error as StoreError where error.code == .versionConflict {
                // What the context reads when it refreshes is then what the conflict is with.
                try? from.replay()
                throw error
            }
            do {
                let result = try batch.operations.isEmpty ? SaveResult(transaction: nil) : save(batch)
                context.settleForwarded(result)
                return result.transaction
            } catch let error as StoreError where error.code == .versionConflict && attempts > 1 {
                attempts -= 1
            }
        }
    }
}
