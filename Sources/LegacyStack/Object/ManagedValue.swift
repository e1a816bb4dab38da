import SQLite
import StoreFormat
import StoreModel

/// A type that a `@Managed` property can have.
public protocol ManagedValue {
    /// Reads the property in that slot.
    static func read(_ object: NSManagedObject, _ slot: Int) -> Self
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

    static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
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
        if let scalar = Wrapped.self as? any ManagedScalar.Type { return scalar.readOptional(object, slot) as? Wrapped }
        if let type = Wrapped.self as? NSManagedObject.Type { return type.readRelated(object, slot) as? Wrapped }
        return Wrapped.read(object, slot)
    }

    public func write(_ object: NSManagedObject, _ slot: Int) {
        if let self { self.write(object, slot) } else { object.setObject(nil, inSlot: slot) }
    }
}

// MARK: Relationships

extension NSManagedObject: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        guard let found = readRelated(object, slot) as? Self else {
            preconditionFailure("\(object.id.uriText).\(object.info.properties[slot].name) leads to no \(Self.self)")
        }
        return found
    }

    static func readRelated(_ object: NSManagedObject, _ slot: Int) -> NSManagedObject? {
        guard case .relationship(let relationship) = object.info.properties[slot] else { return nil }
        registerDestination(of: relationship, object)
        return object.toOne(slot, relationship)
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
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Set<Element> { Set([Element].read(object, slot)) }
    public func write(_ object: NSManagedObject, _ slot: Int) { Array(self).write(object, slot) }
}

extension Array: ManagedValue where Element: NSManagedObject {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> [Element] {
        guard case .relationship(let relationship) = object.info.properties[slot], relationship.isToMany else { return [] }
        Element.registerDestination(of: relationship, object)
        return object.toMany(slot, relationship).compactMap { $0 as? Element }
    }

    public func write(_ object: NSManagedObject, _ slot: Int) {
        guard case .relationship(let relationship) = object.info.properties[slot], relationship.isToMany else {
            return object.setObject(self, inSlot: slot)
        }
        object.setToMany(self, slot, relationship)
    }
}

extension NSSet: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        guard case .relationship(let relationship) = object.info.properties[slot] else { return Self(array: []) }
        return Self(array: object.toMany(slot, relationship))
    }

    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}

extension NSOrderedSet: ManagedValue {
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        guard case .relationship(let relationship) = object.info.properties[slot] else { return Self(array: []) }
        return Self(array: object.toMany(slot, relationship))
    }

    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}
