import StoreFormat

/// What a collection in a `@Managed` property can hold: the objects of a to-many, or the plain values of a transformable
/// attribute.
public protocol ManagedElement: Hashable {
    /// Reads the property as a list of elements of any type; nil where it has no value.
    static func managedList(_ object: NSManagedObject, _ slot: Int) -> [Any]?
    /// Sets the property to a list, or to a set of these elements.
    static func setManagedList(_ list: [Any], isSet: Bool, _ object: NSManagedObject, _ slot: Int)
}

extension ManagedElement {
    /// Reads a transformable attribute that holds an array or a set.
    public static func managedList(_ object: NSManagedObject, _ slot: Int) -> [Any]? {
        guard case .attribute = object.info.properties[slot] else { return nil }
        switch object.object(inSlot: slot) {
        case let set as NSOrderedSet: return set.array
        case let set as NSSet: return set.allObjects
        case let list as [Any]: return list
        default: return nil
        }
    }

    /// Sets a transformable attribute.
    public static func setManagedList(_ list: [Any], isSet: Bool, _ object: NSManagedObject, _ slot: Int) {
        object.setObject(isSet ? NSSet(array: list) as Any : list as Any, inSlot: slot)
    }
}

extension NSManagedObject: ManagedElement {
    /// Reads a to-many in its order, or what a fetched property finds; empty where the property is neither.
    public static func managedList(_ object: NSManagedObject, _ slot: Int) -> [Any]? {
        switch object.info.properties[slot] {
        case .relationship(let relationship) where relationship.isToMany:
            registerDestination(relationship.layout.description.destinationEntityName, object)
            return object.toMany(slot, relationship)
        case .fetched(let property):
            registerDestination(property.request.entityName, object)
            return object.fetched(slot, property)
        default: return []
        }
    }

    /// Replaces the objects of a to-many.
    public static func setManagedList(_ list: [Any], isSet: Bool, _ object: NSManagedObject, _ slot: Int) {
        guard case .relationship(let relationship) = object.info.properties[slot], relationship.isToMany,
            let members = list as? [NSManagedObject]
        else { return object.setObject(list, inSlot: slot) }
        object.setToMany(members, slot, relationship)
    }
}

extension String: ManagedElement {}
extension Bool: ManagedElement {}
extension Int: ManagedElement {}
extension Int64: ManagedElement {}
extension Int32: ManagedElement {}
extension Int16: ManagedElement {}
extension Double: ManagedElement {}
extension Float: ManagedElement {}
extension Date: ManagedElement {}
extension UUID: ManagedElement {}
extension Data: ManagedElement {}
extension URL: ManagedElement {}
extension Decimal: ManagedElement {}

extension Set: ManagedValue where Element: ManagedElement {
    /// Reads a to-many, or a transformable collection, as a set; elements of another type are left out.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> Set<Element> { readOptional(object, slot) ?? [] }
    /// An empty set.
    public static func readAbsent(_ object: NSManagedObject) -> Set<Element> { [] }
    /// Reads the property as a set; nil for a transformable attribute without a value.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> Set<Element>? {
        [Element].readOptional(object, slot).map { Set($0) }
    }
    /// Replaces the elements.
    public func write(_ object: NSManagedObject, _ slot: Int) {
        Element.setManagedList(Array(self), isSet: true, object, slot)
    }
}

extension Array: ManagedValue where Element: ManagedElement {
    /// Reads a to-many, or a transformable collection, in its order; elements of another type are left out.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> [Element] { readOptional(object, slot) ?? [] }
    /// An empty array.
    public static func readAbsent(_ object: NSManagedObject) -> [Element] { [] }
    /// Reads the property in its order; nil for a transformable attribute without a value.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> [Element]? {
        Element.managedList(object, slot)?.compactMap { $0 as? Element }
    }
    /// Replaces the elements.
    public func write(_ object: NSManagedObject, _ slot: Int) {
        Element.setManagedList(self, isSet: false, object, slot)
    }
}

extension Dictionary: ManagedValue where Key == String, Value == Any {
    /// Reads a transformable or composite attribute; empty where it has no value.
    public static func read(_ object: NSManagedObject, _ slot: Int) -> [String: Any] {
        readOptional(object, slot) ?? [:]
    }
    /// An empty dictionary.
    public static func readAbsent(_ object: NSManagedObject) -> [String: Any] { [:] }
    /// Reads a transformable or composite attribute; nil where it has no value.
    public static func readOptional(_ object: NSManagedObject, _ slot: Int) -> [String: Any]? {
        object.object(inSlot: slot) as? [String: Any]
    }
    /// Sets the attribute.
    public func write(_ object: NSManagedObject, _ slot: Int) { object.setObject(self, inSlot: slot) }
}
