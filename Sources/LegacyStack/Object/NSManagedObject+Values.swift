import SQLite
import StoreFormat
import StoreModel

extension NSManagedObject {
    // MARK: By key

    /// The value of a property: numbers and booleans as `NSNumber`, a to-many as a set, an ordered one as an ordered set, a
    /// fetched property as an array. A key that the entity does not have goes to `value(forUndefinedKey:)`.
    public func value(forKey key: String) -> Any? {
        guard let slot = info.slots[key] else { return value(forUndefinedKey: key) }
        return object(inSlot: slot)
    }

    /// The value at the end of a key path over relationships.
    public func value(forKeyPath path: String) -> Any? {
        let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard let first = parts.first else { return nil }
        guard parts.count == 2 else { return value(forKey: first) }
        switch value(forKey: first) {
        case let next as NSManagedObject: return next.value(forKeyPath: parts[1])
        case let leaves as [String: Any]: return leaves[parts[1]]
        case let members as NSOrderedSet: return Self.collect(members.array, parts[1])
        case let members as Set<NSManagedObject>: return Self.collect(Array(members), parts[1])
        case let members as [NSManagedObject]: return Self.collect(members, parts[1])
        default: return nil
        }
    }

    private static func collect(_ members: [Any], _ path: String) -> Any? {
        if path == "@count" { return NSNumber(value: members.count) }
        return members.compactMap { ($0 as? NSManagedObject)?.value(forKeyPath: path) }
    }

    /// Sets a property. A value that the property cannot hold is kept as an error, which refuses the next save; so is a
    /// value for a fetched property. A key that the entity does not have goes to `setValue(_:forUndefinedKey:)`.
    public func setValue(_ value: Any?, forKey key: String) {
        guard let slot = info.slots[key] else { return setValue(value, forUndefinedKey: key) }
        setObject(value, inSlot: slot)
    }

    /// Sets several properties.
    public func setValuesForKeys(_ values: [String: Any]) {
        for (key, value) in values { setValue(value is NSNull ? nil : value, forKey: key) }
    }

    /// Several properties.
    public func dictionaryWithValues(forKeys keys: [String]) -> [String: Any] {
        Dictionary(keys.map { ($0, value(forKey: $0) ?? NSNull()) }, uniquingKeysWith: { first, _ in first })
    }

    /// The value without calls of `willAccessValue`.
    public func primitiveValue(forKey key: String) -> Any? { value(forKey: key) }
    /// Sets the value without calls of `willChangeValue`.
    public func setPrimitiveValue(_ value: Any?, forKey key: String) { setValue(value, forKey: key) }

    // MARK: By slot

    func object(inSlot slot: Int) -> Any? {
        switch info.properties[slot] {
        case .transient:
            if !slots.isEmpty, case .transient(let value) = slots[slot] { return value }
            return nil
        case .attribute(let attribute):
            return ValueBox.object(attributeValue(attribute, slot), attribute)
        case .relationship(let relationship):
            guard relationship.isToMany else { return toOne(slot, relationship) }
            let members = toMany(slot, relationship)
            return relationship.isOrdered ? NSOrderedSet(array: members) as Any : Set(members) as Any
        case .fetched(let property): return fetched(slot, property)
        }
    }

    func setObject(_ value: Any?, inSlot slot: Int) {
        switch info.properties[slot] {
        case .transient:
            prepareToRead()
            ensureSlots()
            slots[slot] = .transient(value)
        case .attribute(let attribute):
            write(ValueBox.slot(value, attribute), slot, attribute)
        case .relationship(let relationship):
            setRelated(value, slot, relationship)
        case .fetched(let property):
            refuse(
                StoreError(
                    .typeMismatch, "\(info.name).\(property.name) is fetched and cannot be set",
                    way: "change the objects that it finds, and take this change back with rollback()"))
        }
    }

    private func setRelated(_ value: Any?, _ slot: Int, _ relationship: SchemaRelationship) {
        if !relationship.isToMany {
            switch value {
            case nil, is NSNull: return setToOne(nil, slot, relationship)
            case let object as NSManagedObject: return setToOne(object, slot, relationship)
            default: break
            }
        } else {
            var members: [NSManagedObject]?
            switch value {
            case nil, is NSNull: members = []
            case let set as NSOrderedSet: members = set.array as? [NSManagedObject]
            case let set as NSSet: members = set.allObjects as? [NSManagedObject]
            case let list as [NSManagedObject]: members = list
            case let set as Set<NSManagedObject>: members = Array(set)
            default: break
            }
            if let members { return setToMany(members, slot, relationship) }
        }
        invalidate(
            slot,
            StoreError(
                .typeMismatch,
                "\(info.name).\(relationship.name) leads to \(relationship.layout.description.destinationEntityName): \(String(describing: value))",
                way: relationship.isToMany ? "give a set of objects" : "give an object"))
    }

    /// The attribute's value now.
    func attributeValue(_ attribute: SchemaAttribute, _ slot: Int) -> AttributeValue? {
        prepareToRead()
        if !slots.isEmpty {
            switch slots[slot] {
            case .stored(let value):
                return attribute.leaf.flatMap { ValueCoding.decode(value, as: $0, external: info.externalData) }
            case .attribute(let value): return value
            case .invalid: return nil
            default: break
            }
        }
        return row?.attribute(attribute, info.externalData)
    }

    /// The value of a simple attribute in its column's form: the quick way for typed properties.
    func columnValue(_ leaf: LeafLayout, _ slot: Int) -> SQLValue {
        prepareToRead()
        if !slots.isEmpty {
            switch slots[slot] {
            case .stored(let value): return value
            case .attribute(let value): return PredicateConstant.column(value)
            case .invalid: return .null
            default: break
            }
        }
        guard let row, let column = leaf.column else { return .null }
        return row.values[column]
    }

    func ensureSlots() {
        if slots.isEmpty { slots = ContiguousArray(repeating: .unchanged, count: info.properties.count) }
    }

    /// Sets an attribute. What equals the saved value is no change.
    func write(_ value: PropertySlot, _ slot: Int, _ attribute: SchemaAttribute) {
        prepareToChange()
        if attribute.isDerived {
            return invalidate(
                slot,
                StoreError(
                    .typeMismatch, "\(info.name).\(attribute.name) is derived and cannot be set",
                    way: "change what it is derived from"))
        }
        ensureSlots()
        slots[slot] = equalsRow(value, attribute) ? .unchanged : value
        touch()
    }

    private func equalsRow(_ value: PropertySlot, _ attribute: SchemaAttribute) -> Bool {
        guard !flags.contains(.inserted), let row else { return false }
        switch value {
        case .stored(let value):
            guard let leaf = attribute.leaf else { return false }
            return value.isStored(as: row.value(leaf))
        case .attribute(let value): return row.attribute(attribute, info.externalData) == value
        default: return false
        }
    }

    func invalidate(_ slot: Int, _ error: StoreError) {
        ensureSlots()
        slots[slot] = .invalid(error)
        touch()
    }

    /// Notes with the context that the object has to be looked at by the next save.
    func touch() {
        guard flags.isDisjoint(with: [.inserted, .updated, .loose]) else { return }
        flags.insert(.updated)
        managedObjectContext?.noteUpdated(self)
    }

    /// The value of a key as predicates in memory see it.
    func memoryValue(forKey key: String) -> MemoryValue {
        guard let slot = info.slots[key] else { return .null }
        switch info.properties[slot] {
        case .transient: return MemoryValue(object(inSlot: slot))
        case .attribute(let attribute):
            if let leaf = attribute.leaf { return .scalar(columnValue(leaf, slot), leaf: leaf) }
            return MemoryValue(object(inSlot: slot))
        case .relationship(let relationship):
            if relationship.isToMany { return .list(toMany(slot, relationship).map { .object($0) }) }
            return toOne(slot, relationship).map { .object($0) } ?? .null
        case .fetched(let property): return .list(fetched(slot, property).map { .object($0) })
        }
    }

    // MARK: Changes

    /// What was changed since the last save, by key.
    public func changedValues() -> [String: Any] {
        var result: [String: Any] = [:]
        for slot in slots.indices where slots[slot].isChange {
            result[info.properties[slot].name] = object(inSlot: slot) ?? NSNull()
        }
        return result
    }

    /// The values as last saved or fetched; `NSNull` for none.
    public func committedValues(forKeys keys: [String]?) -> [String: Any] {
        prepareToRead()
        var result: [String: Any] = [:]
        for key in keys ?? info.properties.map(\.name) {
            guard let slot = info.slots[key] else { continue }
            switch info.properties[slot] {
            case .transient, .fetched: continue
            case .attribute(let attribute):
                result[key] = ValueBox.object(row?.attribute(attribute, info.externalData), attribute) ?? NSNull()
            case .relationship(let relationship):
                guard let context = managedObjectContext else { continue }
                if relationship.isToMany {
                    result[key] = Set(context.savedMembers(of: self, relationship).map { context.object(with: $0) })
                } else {
                    result[key] = savedDestination(relationship).map { context.object(with: $0) } ?? NSNull()
                }
            }
        }
        return result
    }
}
