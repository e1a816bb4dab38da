import SQLite
import StoreFormat
import StoreModel

extension SaveWork {
    /// A new object's columns.
    func values(_ object: NSManagedObject, _ transaction: SaveTransaction) throws -> [SQLValue] {
        var values = [SQLValue](repeating: .null, count: object.info.layout.columns.count)
        guard !object.slots.isEmpty else { return values }
        for slot in object.slots.indices where object.slots[slot].isChange {
            try columns(object, slot, transaction) { values[$0] = $1 }
        }
        return values
    }

    /// The change of a row, made when it is first needed.
    func change(_ id: NSManagedObjectID, _ object: NSManagedObject?) -> RowChange {
        let rowKey = id.rowKey
        if let known = changes[rowKey] { return known }
        let made = RowChange(entity: id.schemaEntity, key: id.key, object: object)
        changes[rowKey] = made
        changeOrder.append(made)
        return made
    }

    /// Sets a column of a row that a neighbour's relationship reaches.
    func set(
        _ column: Int, _ value: SQLValue, of id: NSManagedObjectID, marking name: String, isByRule: Bool = false
    ) {
        if id.isTemporaryID {
            if let place = insertPlaces[id.key] { inserts[place].values[column] = value }
            return
        }
        let object = context.registeredObject(id.rowKey)
        if object?.flags.contains(.deleted) == true { return }
        let change = change(id, object)
        change.columns[column] = value
        change.names.insert(name)
        if !isByRule { change.isByRule = false }
    }

    /// An updated object's changed columns and properties.
    func collect(_ object: NSManagedObject, _ transaction: SaveTransaction) throws {
        let change = change(object.id, object)
        change.isByRule = change.isByRule && context.ruleEffects.explain(object)
        for slot in object.slots.indices where object.slots[slot].isChange {
            change.names.insert(object.info.properties[slot].name)
            try columns(object, slot, transaction) { change.columns[$0] = $1 }
        }
    }

    /// The columns that one property's change sets.
    private func columns(
        _ object: NSManagedObject, _ slot: Int, _ transaction: SaveTransaction, _ set: (Int, SQLValue) -> Void
    ) throws {
        switch (object.info.properties[slot], object.slots[slot]) {
        case (.attribute(let attribute), .stored(let value)):
            guard let leaf = attribute.leaf else { return }
            if let column = leaf.column {
                set(column, value)
            } else if !value.isNull {
                throw noPlace(object, slot, leaf.path)
            }
        case (.attribute(let attribute), .attribute(let value)):
            if let leaf = attribute.leaf {
                if let column = leaf.column {
                    set(column, try transaction.encode(value, as: leaf))
                } else if value != nil {
                    throw noPlace(object, slot, leaf.path)
                }
                return
            }
            var leaves: [String: AttributeValue] = [:]
            if case .composite(let values)? = value { leaves = values }
            let row = object.flags.contains(.inserted) ? nil : object.row
            for leaf in attribute.leaves {
                guard let column = leaf.column else {
                    if leaves[leaf.name] != nil { throw noPlace(object, slot, leaf.path) }
                    continue
                }
                // An element that stays is left alone: another program may have put what cannot be written again.
                let current = row.flatMap {
                    ValueCoding.decode($0.value(leaf), as: leaf, external: object.info.externalData)
                }
                if row != nil, current == leaves[leaf.name] { continue }
                set(column, try transaction.encode(leaves[leaf.name], as: leaf))
            }
        case (.relationship(let relationship), .object(let id)):
            guard case .toOne(let key) = relationship.layout.storage else {
                if id != nil { throw noPlace(object, slot, "\(object.info.name).\(relationship.name)") }
                return
            }
            set(key.column, id.map { .integer(self.key($0)) } ?? .null)
            if let column = key.entityColumn {
                set(column, id.map { .integer($0.schemaEntity.layout.number) } ?? .null)
            }
            // The new owner assigns the order.
            if let column = key.orderColumn { set(column, .null) }
        default: break
        }
    }

    /// The refusal of a value that the file has no place for: a save that left it out would not be one.
    private func noPlace(_ object: NSManagedObject, _ slot: Int, _ path: String) -> StoreError {
        Validation.failure([
            .init(
                object: object.id.shown, reason: "\(path) has no column in this store, and a value would be lost",
                property: object.info.properties[slot].name, validationCode: NSManagedObjectValidationError)
        ])
    }

    // MARK: To-many

    /// What the object's changed to-many relationships do to other rows.
    func relate(_ object: NSManagedObject, _ transaction: SaveTransaction) throws {
        guard !object.slots.isEmpty else { return }
        for slot in object.info.relationshipSlots {
            guard case .relationship(let relationship) = object.info.properties[slot],
                case .many(let state) = object.slots[slot], state.isChanged
            else { continue }
            let isDeleted = object.flags.contains(.deleted)
            switch relationship.layout.storage {
            case .toManyByInverse(let key):
                if key.orderColumn != nil, !isDeleted { try order(object, relationship, state, transaction) }
            case .toManyWithoutInverse: try own(object, relationship, state, transaction)
            case .manyToMany(let join):
                if !isDeleted { try pair(object, slot, relationship, join, state, transaction) }
            case .toOne: break
            case .absent:
                if !isDeleted, !state.added.isEmpty {
                    throw noPlace(object, slot, "\(object.info.name).\(relationship.name)")
                }
            }
        }
    }

    /// The members' order keys so far.
    private func orderKeys(
        _ object: NSManagedObject, _ relationship: SchemaRelationship, _ transaction: SaveTransaction
    ) throws -> [RowKey: Int64] {
        guard !object.id.isTemporaryID, relationship.destination >= 0 else { return [:] }
        let root = schema.entities[relationship.destination].rootIndex
        var keys: [RowKey: Int64] = [:]
        try transaction.connection.cached(relationship.memberSQL).forEach([.integer(object.id.key)]) { row in
            if !row.isNull(2) { keys[RowKey(root: root, key: row.integer(0))] = row.integer(2) }
        }
        return keys
    }

    /// The keys to set: only those that change.
    private func assigned(
        _ object: NSManagedObject, _ relationship: SchemaRelationship, _ state: ToManyState,
        _ transaction: SaveTransaction
    ) throws -> [(id: NSManagedObjectID, order: Int64)] {
        let known = try orderKeys(object, relationship, transaction)
        if state.order == nil {
            // Appended only: what is there keeps its key.
            let highest = known.values.max()
            let added = OrderKeys.assign([highest] + state.added.map { _ in nil }).dropFirst(highest == nil ? 0 : 1)
            if highest != nil || known.isEmpty, added.count >= state.added.count {
                return zip(state.added, added).map { (id: $0, order: $1) }
            }
        }
        if state.base == nil {
            state.base =
                object.id.isTemporaryID
                ? [] : try context.savedMembers(object.id.key, relationship, transaction.connection)
        }
        let members = state.members
        let current = members.map { known[$0.rowKey] }
        return zip(members, zip(current, OrderKeys.assign(current))).compactMap { id, keys in
            keys.0 == keys.1 ? nil : (id: id, order: keys.1)
        }
    }

    private func order(
        _ object: NSManagedObject, _ relationship: SchemaRelationship, _ state: ToManyState,
        _ transaction: SaveTransaction
    ) throws {
        guard let inverse = relationship.inverseName else { return }
        for (id, order) in try assigned(object, relationship, state, transaction) {
            guard case .toOne(let key)? = id.schemaEntity.layout.relationship(inverse)?.storage,
                let column = key.orderColumn
            else { continue }
            set(column, .integer(order), of: id, marking: inverse)
        }
    }

    /// A to-many without an inverse: the members' rows hold the owner's key.
    private func own(
        _ object: NSManagedObject, _ relationship: SchemaRelationship, _ state: ToManyState,
        _ transaction: SaveTransaction
    ) throws {
        let name = "\(relationship.layout.declaringEntity).\(relationship.name)"
        let isByRule = object.flags.contains(.deleted)
        for id in state.removed.sorted(by: { $0.key < $1.key }) {
            guard let key = id.schemaEntity.layout.foreignKeysWithoutInverse[name] else { continue }
            set(key.column, .null, of: id, marking: name, isByRule: isByRule)
            if let column = key.orderColumn { set(column, .null, of: id, marking: name, isByRule: isByRule) }
        }
        guard !object.flags.contains(.deleted) else { return }
        for id in state.added {
            guard let key = id.schemaEntity.layout.foreignKeysWithoutInverse[name] else { continue }
            set(key.column, .integer(self.key(object.id)), of: id, marking: name)
        }
        guard relationship.isOrdered else { return }
        for (id, order) in try assigned(object, relationship, state, transaction) {
            guard let column = id.schemaEntity.layout.foreignKeysWithoutInverse[name]?.orderColumn else { continue }
            set(column, .integer(order), of: id, marking: name)
        }
    }

    /// Pairs of a many-to-many. Both ends know of each pair: the one that is looked at first writes it.
    private func pair(
        _ object: NSManagedObject, _ slot: Int, _ relationship: SchemaRelationship,
        _ join: RelationshipLayout.JoinTable,
        _ state: ToManyState, _ transaction: SaveTransaction
    ) throws {
        let own = key(object.id)
        var orders: [RowKey: Int64] = [:]
        if join.orderColumn != nil {
            let added = Set(state.added)
            for (id, order) in try assigned(object, relationship, state, transaction) {
                if added.contains(id) {
                    orders[id.rowKey] = order
                } else {
                    reorders.append((join, own, key(id), order))
                }
            }
        }
        for id in state.added {
            add(join, own, key(id), isInsertion: true, order: orders[id.rowKey], object, relationship)
        }
        // The pairs of a deleted object go with it, whoever owns them.
        for id in state.removed.sorted(by: { $0.key < $1.key }) where !isDeleted(id) {
            add(join, own, key(id), isInsertion: false, order: nil, object, relationship)
        }
    }

    private func isDeleted(_ id: NSManagedObjectID) -> Bool {
        context.registeredObject(id.rowKey)?.flags.contains(.deleted) ?? false
    }

    private func add(
        _ join: RelationshipLayout.JoinTable, _ own: Int64, _ other: Int64, isInsertion: Bool, order: Int64?,
        _ object: NSManagedObject, _ relationship: SchemaRelationship
    ) {
        let name = PairName(
            table: join.table,
            a: join.isReflexive ? min(own, other) : join.ownColumn < join.otherColumn ? own : other,
            b: join.isReflexive ? max(own, other) : join.ownColumn < join.otherColumn ? other : own)
        if let place = pairs[name] {
            if joins[place].own == own, joins[place].join.ownColumn == join.ownColumn {
                joins[place].order = joins[place].order ?? order
            } else {
                joins[place].inverseOrder = joins[place].inverseOrder ?? order
            }
            return
        }
        pairs[name] = joins.count
        joins.append(
            JoinChange(
                join: join, own: own, other: other, isInsertion: isInsertion, order: order, inverseOrder: nil,
                relationship: "\(object.info.name).\(relationship.name)",
                object: ObjectReference(entity: object.info.name, key: own)))
    }
}

/// A pair of keys in a join table, the same from both sides.
struct PairName: Hashable {
    var table: String
    var a: Int64
    var b: Int64
}
