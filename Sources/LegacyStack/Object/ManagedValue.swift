import SQLite
import StoreFormat
import StoreModel

/// A type that a `@Managed` property can have.
public protocol ManagedValue {
    /// Reads the property in that slot.
    static func read(_ object: NSManagedObject, _ slot: Int) -> Self
    /// Reads the property in that slot; nil where it has no value.
    static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self?
    /// Sets the property in that slot.
    func write(_ object: NSManagedObject, _ slot: Int)
}

/// An attribute's type that is made from a column's value.
public protocol ManagedScalar: ManagedValue {
    /// The value of an attribute; nil where the attribute has another type.
    init?(attributeValue: AttributeValue)
    /// What stands for no value in a property that is not optional.
    static var emptyValue: Self { get }
    /// The value for an attribute.
    var managedObject: Any { get }
}

extension ManagedScalar {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self { readOptional(object, slot) ?? emptyValue }

    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        switch object.info.properties[slot] {
        case .attribute(let attribute):
            return object.attributeValue(attribute, slot).flatMap { Self(attributeValue: $0) }
        case .transient: return object.object(inSlot: slot) as? Self
        case .relationship: return nil
        }
    }

    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(managedObject, inSlot: slot) }
    public var managedObject: Any { self }
}

extension Optional: ManagedValue where Wrapped: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Wrapped? {
        Wrapped.readOptional(object, slot)
    }

    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Wrapped?? {
        .some(Wrapped.readOptional(object, slot))
    }

    public func write(_ object: NSManagedObject, _ slot: Int) {
        if let self { self.write(object, slot) } else { object.setObject(nil, inSlot: slot) }
    }
}

// MARK: Relationships

extension NSManagedObject: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        guard let found = readOptional(object, slot) else {
            preconditionFailure("\(object.id.uriText).\(object.info.properties[slot].name) leads to no \(Self.self)")
        }
        return found
    }

    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        guard case .relationship(let relationship) = object.info.properties[slot] else { return nil }
        registerDestination(of: relationship, object)
        return object.toOne(slot, relationship) as? Self
    }

    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }

    /// A typed property tells the class of the entity that it leads to.
    static func registerDestination(of relationship: SchemaRelationship, _ object: NSManagedObject) {
        guard self != NSManagedObject.self, let model = object.managedObjectContext?.instance.managedObjectModel else {
            return
        }
        model.registerIfMissing(self, forEntityName: relationship.layout.description.destinationEntityName)
    }
}

extension Set: ManagedValue where Element: NSManagedObject {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Set<Element> {
        Set([Element].read(object, slot))
    }
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Set<Element>? { read(object, slot) }
    public func write(_ object: NSManagedObject, _ slot: Int) { Array(self).write(object, slot) }
}

extension Array: ManagedValue where Element: NSManagedObject {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> [Element] {
        guard case .relationship(let relationship) = object.info.properties[slot], relationship.isToMany else {
            return []
        }
        Element.registerDestination(of: relationship, object)
        return object.toMany(slot, relationship).compactMap { $0 as? Element }
    }

    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> [Element]? { read(object, slot) }

    public func write(_ object: NSManagedObject, _ slot: Int) {
        guard case .relationship(let relationship) = object.info.properties[slot], relationship.isToMany else {
            return object.setObject(self, inSlot: slot)
        }
        object.setToMany(self, slot, relationship)
    }
}

extension NSSet: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        ObjectValues.required(readOptional(object, slot))
    }

    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        ObjectValues.members(object, slot).flatMap { NSSet(array: $0) as? Self }
    }

    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}

extension NSOrderedSet: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        ObjectValues.required(readOptional(object, slot))
    }

    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        ObjectValues.members(object, slot).flatMap { NSOrderedSet(array: $0) as? Self }
    }

    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}

extension NSNumber: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        ObjectValues.required(
            readOptional(object, slot) ?? NSNumber(value: 0) as? Self ?? NSDecimalNumber.zero as? Self)
    }

    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        object.object(inSlot: slot) as? Self
    }

    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}

/// What properties of Foundation's classes have in common.
private enum ObjectValues {
    static func members(_ object: NSManagedObject, _ slot: Int) -> [NSManagedObject]? {
        guard case .relationship(let relationship) = object.info.properties[slot], relationship.isToMany else {
            return nil
        }
        return object.toMany(slot, relationship)
    }

    static func required<T>(_ value: T?) -> T {
        guard let value else { preconditionFailure("a @Managed property cannot be a \(T.self)") }
        return value
    }
}
