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
    /// What a property reads as that the object's entity does not have: the type's empty value.
    static func readAbsent(_ object: NSManagedObject) -> Self
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
    /// Reads the property. Where the row has no value of the type: the model's default for a mandatory attribute that has
    /// one, else the type's empty value.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        if let value = readOptional(object, slot) { return value }
        return object.info.defaultValue(slot).flatMap { Self(attributeValue: $0) } ?? emptyValue
    }

    /// The type's empty value.
    public static func readAbsent(_ object: NSManagedObject) -> Self { emptyValue }

    /// Reads an attribute; nil where it has no value or one of another type, and for a relationship.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        switch object.info.properties[slot] {
        case .attribute(let attribute):
            guard let value = object.attributeValue(attribute, slot) else { return nil }
            if case .transformable = value, let decoded = ValueBox.object(value, attribute) as? Self { return decoded }
            return Self(attributeValue: value)
        case .transient: return object.object(inSlot: slot) as? Self
        case .relationship, .fetched: return nil
        }
    }

    /// Sets the property to `managedObject`.
    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(managedObject, inSlot: slot) }
    /// The value itself, where a type does not say otherwise.
    public var managedObject: Any { self }
}

extension Optional: ManagedValue where Wrapped: ManagedValue {
    /// Reads the property; nil where it has no value.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Wrapped? {
        Wrapped.readOptional(object, slot)
    }

    /// No value.
    public static func readAbsent(_ object: NSManagedObject) -> Wrapped? { nil }

    /// Reads the property; the outer optional always has a value.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Wrapped?? {
        .some(Wrapped.readOptional(object, slot))
    }

    /// Sets the property, or clears it with nil.
    public func write(_ object: NSManagedObject, _ slot: Int) {
        if let self { self.write(object, slot) } else { object.setObject(nil, inSlot: slot) }
    }
}

// MARK: Relationships

extension NSManagedObject: ManagedValue {
    /// Reads a to-one that is not optional. Where it leads to no object of this class, one stands in that has no values
    /// and no context, and counts as deleted.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        if let found = readOptional(object, slot) { return found }
        guard case .relationship(let relationship) = object.info.properties[slot],
            let missing = MissingObject.of(Self.self, object, slot, relationship)
        else { return readAbsent(object) }
        return missing
    }

    /// What stands in for an object where the model has no such relationship: one without values that counts as deleted.
    public static func readAbsent(_ object: NSManagedObject) -> Self {
        let model = object.info.description.model
        let entity = model?.entityName(of: Self.self).flatMap { model?.openedSchema?[$0] }
        return MissingObject.standIn(Self.self, entity ?? object.info)
    }

    /// Reads a to-one; nil where it leads to no object of this class.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        guard case .relationship(let relationship) = object.info.properties[slot] else { return nil }
        registerDestination(relationship.layout.description.destinationEntityName, object)
        return object.toOne(slot, relationship) as? Self
    }

    /// Sets a to-one to this object.
    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }

    /// A typed property tells the class of the entity that it leads to.
    static func registerDestination(_ entityName: String, _ object: NSManagedObject) {
        guard self != NSManagedObject.self, let model = object.managedObjectContext?.instance.managedObjectModel else {
            return
        }
        model.registerIfMissing(self, forEntityName: entityName)
    }
}

extension NSSet: ManagedValue {
    /// Reads a to-many as an `NSSet`; empty where the property is none.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        readOptional(object, slot) ?? readAbsent(object)
    }

    /// An empty set.
    public static func readAbsent(_ object: NSManagedObject) -> Self {
        ObjectValues.required(NSSet() as? Self ?? NSMutableSet() as? Self)
    }

    /// Reads a to-many as an `NSSet`; nil where the property is none.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        ObjectValues.members(object, slot).flatMap { NSSet(array: $0) as? Self }
    }

    /// Replaces the objects of a to-many.
    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}

extension NSOrderedSet: ManagedValue {
    /// Reads an ordered to-many as an `NSOrderedSet`; empty where the property is no to-many.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        readOptional(object, slot) ?? readAbsent(object)
    }

    /// An empty set.
    public static func readAbsent(_ object: NSManagedObject) -> Self {
        ObjectValues.required(NSOrderedSet() as? Self ?? NSMutableOrderedSet() as? Self)
    }

    /// Reads a to-many as an `NSOrderedSet`; nil where the property is none.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        ObjectValues.members(object, slot).flatMap { NSOrderedSet(array: $0) as? Self }
    }

    /// Replaces the objects of a to-many.
    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}

extension NSNumber: ManagedValue {
    /// Reads a number; zero where the row has no value.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Self {
        readOptional(object, slot) ?? readAbsent(object)
    }

    /// Zero.
    public static func readAbsent(_ object: NSManagedObject) -> Self {
        ObjectValues.required(NSNumber(value: 0) as? Self ?? NSDecimalNumber.zero as? Self)
    }

    /// Reads a number; nil where the row has no value or one of another type.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Self? {
        object.object(inSlot: slot) as? Self
    }

    /// Sets the property to this number.
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
