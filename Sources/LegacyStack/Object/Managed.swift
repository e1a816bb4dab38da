import SQLite
import StoreFormat

/// A property of a managed object's class that is a property of its entity: Core Data's `@NSManaged`.
///
/// ```swift
/// final class Book: NSManagedObject {
///     @Managed var title: String?
///     @Managed var pages: Int16
///     @Managed var author: Author?
///     @Managed var tags: Set<Tag>
/// }
/// ```
///
/// The property has the name of the entity's. One that is not optional reads as its type's empty value where the row has
/// none.
@propertyWrapper
public struct Managed<Value: ManagedValue> {
    /// The property's slot, once it was looked up.
    var slot: Int32 = -1

    /// Makes the wrapper; the property's place is looked up when it is first used.
    public init() {}

    /// Not available: the wrapper works in classes that inherit from `NSManagedObject` only.
    @available(*, unavailable, message: "@Managed is for classes that inherit from NSManagedObject")
    public var wrappedValue: Value {
        get { preconditionFailure("@Managed outside of a managed object") }
        set { preconditionFailure("@Managed outside of a managed object") }
    }

    /// Reads and sets the entity's property of the same name; stops the program where the entity has none.
    public static subscript<Object: NSManagedObject>(
        _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Managed<Value>>
    ) -> Value {
        get { Value.read(object, slot(of: object, storage)) }
        set { newValue.write(object, slot(of: object, storage)) }
    }

    private static func slot<Object: NSManagedObject>(
        of object: Object, _ storage: ReferenceWritableKeyPath<Object, Managed<Value>>
    ) -> Int {
        let known = object[keyPath: storage].slot
        if known >= 0 { return Int(known) }
        let name = ManagedNames.name(of: object, storage)
        guard let slot = object.info.slots[name] else { preconditionFailure(object.info.unknownKey(name).description) }
        object[keyPath: storage].slot = Int32(slot)
        return slot
    }
}

/// A property that `Mirror` shows, which can be marked to find its name.
protocol ManagedStorage {
    var slot: Int32 { get }
}

extension Managed: ManagedStorage {}
