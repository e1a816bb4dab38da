import StoreFormat

extension LegacyInstance {
    /// Saves the batch in one transaction through a context of its own, on rows that are read fresh.
    /// - Throws: `StoreError`; then nothing at all is written.
    public func save(_ batch: ObjectBatch) throws -> SaveResult {
        let context = newContext()
        return try context.performAndWait {
            context.transactionAuthor = batch.author
            context.name = batch.contextName
            context.mergePolicy = .mergeByPropertyObjectTrump
            context.readsFresh = true
            var run = BatchRun(context)
            let made = try run.run(batch)
            let number: Int64?
            do {
                number = try context.saveReturningTransaction()
            } catch var error as StoreError where error.code == .versionConflict {
                // Who sends a batch sees neither the context nor its policy.
                error.way = ObjectBatch.conflictWay
                throw error
            }
            let objects = made.compactMapValues(\.objectID.reference)
            return SaveResult(transaction: number, objects: objects)
        }
    }
}

/// Plays a batch into a context.
private struct BatchRun {
    let context: NSManagedObjectContext
    var made: [String: NSManagedObject] = [:]

    init(_ context: NSManagedObjectContext) {
        self.context = context
    }

    /// - Returns: the new objects by their temporary names.
    mutating func run(_ batch: ObjectBatch) throws -> [String: NSManagedObject] {
        // Objects first, so that any of them can lead to any other.
        for case .insert(let entity, let name, _) in batch.operations {
            let found = try context.instance.schema.entity(entity)
            guard !found.layout.isAbstract else {
                throw StoreError(
                    .validationFailed, "\(entity) is abstract and has no objects of its own",
                    way: "insert one of \(found.layout.treeNames.dropFirst().joined(separator: ", "))")
            }
            guard made[name] == nil else {
                throw StoreError(
                    .refused, "the batch inserts \(name) twice", way: "give each new object a name of its own")
            }
            made[name] = context.makeInserted(found)
        }
        for operation in batch.operations {
            switch operation {
            case .insert(_, let name, let values):
                if let object = made[name] { try set(values, on: object) }
            case .update(let reference, let values, let version):
                let object = try existing(reference)
                if let version { context.expectations[object.id.rowKey] = version }
                try set(values, on: object)
            case .delete(let reference, let version):
                let object = try existing(reference)
                if let version { context.expectations[object.id.rowKey] = version }
                context.delete(object)
            }
        }
        return made
    }

    private func existing(_ reference: ObjectReference) throws -> NSManagedObject {
        try context.existingObject(with: try context.objectID(for: reference))
    }

    private func object(_ target: ObjectBatch.Target) throws -> NSManagedObject {
        switch target {
        case .existing(let reference): return try existing(reference)
        case .new(let name):
            if let object = made[name] { return object }
            throw StoreError(.unknownObject, "the batch has no new object \(name)", way: "insert it in the same batch")
        }
    }

    private func set(_ values: [String: ObjectBatch.Input], on object: NSManagedObject) throws {
        for (key, input) in values.sorted(by: { $0.key < $1.key }) {
            guard let slot = object.info.slots[key] else { throw object.info.unknownKey(key) }
            switch (object.info.properties[slot], input) {
            case (.attribute(let attribute), .attribute(let value)):
                object.write(attribute.isComposite ? .attribute(value) : try checked(value, attribute), slot, attribute)
            case (.attribute(let attribute), .elements(let elements)) where attribute.isComposite:
                object.write(.attribute(try merged(elements, into: object, slot, attribute)), slot, attribute)
            case (.relationship(let relationship), .toOne(let target)) where !relationship.isToMany:
                object.setToOne(try target.map { try self.object($0) }, slot, relationship)
            case (.relationship(let relationship), .toMany(let targets)) where relationship.isToMany:
                object.setToMany(try targets.map { try self.object($0) }, slot, relationship)
            default:
                throw StoreError(
                    .typeMismatch, "\(object.info.name).\(key) cannot be given \(input)",
                    way: "see `coexistctl inspect`")
            }
            if !object.slots.isEmpty, case .invalid(let error) = object.slots[slot] { throw error }
        }
    }

    private func merged(
        _ elements: [String: AttributeValue?], into object: NSManagedObject, _ slot: Int, _ attribute: SchemaAttribute
    ) throws -> AttributeValue? {
        var leaves: [String: AttributeValue] = [:]
        if case .composite(let current)? = object.attributeValue(attribute, slot) { leaves = current }
        for (name, value) in elements {
            guard attribute.leaves.contains(where: { $0.name == name }) else {
                throw StoreError(
                    .unknownKey, "\(object.info.name).\(attribute.name) has no element \(name)",
                    way: "it has \(attribute.leaves.map(\.name).joined(separator: ", "))")
            }
            leaves[name] = value
        }
        return leaves.isEmpty ? nil : .composite(leaves)
    }

    private func checked(_ value: AttributeValue?, _ attribute: SchemaAttribute) throws -> PropertySlot {
        guard let leaf = attribute.leaf else { return .stored(.null) }
        return try ValueBox.slot(value, leaf, attribute)
    }
}
