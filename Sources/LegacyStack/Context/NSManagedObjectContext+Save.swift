import Foundation
import SQLite
import StoreFormat

extension NSManagedObjectContext {
    /// Saves all changes in one transaction, with its history.
    /// - Throws: `StoreError`: `ValidationFailed`, `OwnershipViolation`, `StaleEpoch`, `Frozen`, `VersionConflict`,
    ///   `UniqueConflict`, `DeleteDenied`, `ReadOnly`, `DiskFull` and others. Then nothing is written, and the changes are
    ///   still pending.
    public func save() throws {
        _ = try saveReturningTransaction()
    }

    /// The same.
    /// - Returns: the history transaction's number; nil where there was nothing to write.
    @discardableResult
    public func saveReturningTransaction() throws -> Int64? {
        try locked {
            absorb()
            guard !insertedList.isEmpty || !updatedList.isEmpty || !deletedList.isEmpty || !expectations.isEmpty else {
                return nil
            }
            callWillSave()
            var attempts = 0
            while true {
                do {
                    return try instance.saving {
                        absorb()
                        return try attempt()
                    }
                } catch let dangling as DanglingRows {
                    attempts += 1
                    guard attempts < 5 else {
                        throw StoreError(
                            .busy, "others keep adding objects to what this save deletes", way: "save again")
                    }
                    propagateAgain(dangling.owners)
                }
            }
        }
    }

    private func attempt() throws -> Int64? {
        try validate()
        let work = SaveWork(self)
        // A version that is expected has to be there, even where nothing then changes.
        guard !work.isEmpty || !expectations.isEmpty else {
            insertedList = []
            for object in updatedList { object.flags.remove(.updated) }
            updatedList = []
            return nil
        }
        let identity = TransactionIdentity(author: transactionAuthor, contextName: name)
        let (number, sideEffects, forwarded, history) = try noticingConflicts {
            try instance.writer.use { writer in
                let (_, number) = try writer.save(
                    instance.authority, identity, forwarding: instance.deleteForwarding
                ) { try work.run($0) }
                return (number, writer.sideEffects, writer.forwarded, writer.written)
            }
        }
        let userInfo = didSaveInfo(work)
        work.settle()
        for list in [work.inserted, work.updated, work.deleted] {
            for object in list { object.didSave() }
        }
        tellOthers(work)
        NotificationCenter.default.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: userInfo)
        if !sideEffects.isEmpty { instance.dropCaches(of: sideEffects, position: nil) }
        if let number, number > 0 { instance.committed(number, forwarded: forwarded, history: history) }
        return number
    }

    /// Where somebody else wrote the same objects, which the news may not have told yet, they are read anew once the
    /// changes are given up.
    private func noticingConflicts<T>(_ body: () throws -> T) throws -> T {
        do {
            return try body()
        } catch let error as StoreError where error.code == .versionConflict {
            for offence in error.objects {
                guard let entity = instance.schema[offence.object.entity] else { continue }
                instance.cache.remove(root: entity.rootIndex, key: offence.object.key)
            }
            throw error
        }
    }

    /// Callbacks may change more objects, which then get theirs.
    func callWillSave() {
        for object in insertedList { object.flags.remove(.toldOfSave) }
        for object in updatedList { object.flags.remove(.toldOfSave) }
        for object in deletedList { object.flags.remove(.toldOfSave) }
        for _ in 0..<100 {
            let waiting = (pendingInserted + pendingUpdated + deletedList).filter {
                !$0.flags.contains(.toldOfSave)
            }
            if waiting.isEmpty { return }
            for object in waiting {
                object.flags.insert(.toldOfSave)
                object.willSave()
            }
        }
    }

    func validate() throws {
        let denied = deniedDeletions()
        if !denied.isEmpty { throw StoreError.deleteDenied(denied) }
        var offences: [StoreError.Offence] = []
        var first: StoreError?
        func check(_ body: () throws -> Void) throws {
            do {
                try body()
            } catch let error as StoreError {
                if first == nil || first?.code == .validationFailed, error.code != .validationFailed { first = error }
                first = first ?? error
                offences += error.objects
            }
        }
        for object in pendingInserted { try check { try object.validateForInsert() } }
        for object in pendingUpdated { try check { try object.validateForUpdate() } }
        for object in deletedList { try check { try object.validateForDelete() } }
        guard var error = first else { return }
        if error.code == .validationFailed { error = Validation.failure(offences) } else { error.objects = offences }
        throw error
    }

    /// Tells this context's observers, and the contexts that want to follow.
    private func tellOthers(_ work: SaveWork) {
        if !observers.isEmpty {
            tellObservers(changed: Set(work.inserts.map(\.object.id.rowKey) + work.changeOrder.map(\.rowKey)))
        }
        let followers = instance.contexts.filter {
            $0 !== self && (tellsEveryContext || $0.automaticallyMergesChangesFromParentUnlocked)
        }
        guard !followers.isEmpty else { return }
        var changes = RemoteChanges()
        for insert in work.inserts { changes.add(insert.object.id.rowKey, isDeleted: false) }
        for change in work.changeOrder { changes.add(change.rowKey, isDeleted: false) }
        for object in work.deleted { changes.add(object.id.rowKey, isDeleted: true) }
        changes.droppedRoots = Set(instance.schema.derived.map(\.rootIndex))
        for context in followers { context.receive(changes) }
    }

    /// Values that triggers computed are read anew.
    func refaultDerived() {
        for root in Set(instance.schema.derived.map(\.rootIndex)) {
            for place in registered[root].values {
                guard let object = place.object, object.info.isWrittenByTriggers,
                    object.flags.isDisjoint(with: [.inserted, .deleted])
                else { continue }
                object.row = nil
                object.flags.insert(.fault)
            }
        }
    }

    /// Gives new objects their keys before they are saved.
    /// - Throws: what writing to the store throws.
    public func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
        try locked {
            let new = objects.filter { $0.id.isTemporaryID && permanentKeys[$0.id.key] == nil }
            guard !new.isEmpty else { return }
            var counts: [Int: Int] = [:]
            for object in new { counts[object.info.rootIndex, default: 0] += 1 }
            let identity = TransactionIdentity(author: transactionAuthor, contextName: name)
            let (starts, _) = try instance.writer.use { writer in
                try writer.save(instance.authority, identity) { transaction in
                    try counts.reduce(into: [Int: Int64]()) { result, entry in
                        result[entry.key] = try transaction.allocateKeys(
                            entry.value, for: instance.schema.entities[entry.key].layout)
                    }
                }
            }
            var next = starts
            for object in new {
                guard let key = next[object.info.rootIndex] else { continue }
                next[object.info.rootIndex] = key + 1
                permanentKeys[object.id.key] = key
            }
        }
    }

    /// The identity that an object has once it is saved; the temporary one before `obtainPermanentIDs(for:)`.
    public func permanentID(of object: NSManagedObject) -> NSManagedObjectID {
        locked { permanentKeys[object.id.key].map { NSManagedObjectID(object.info, key: $0) } ?? object.id }
    }
}
