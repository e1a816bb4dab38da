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

    /// Reads and sets the entity's property of the same name. Where the entity has none, the property reads as empty, and an
    /// object that it was set for cannot be saved (`UnknownKey`).
    public static subscript<Object: NSManagedObject>(
        _enclosingInstance object: Object, wrapped wrapped: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Managed<Value>>
    ) -> Value {
        get {
            guard let slot = slot(of: object, storage) else { return Value.readAbsent(object) }
            return Value.read(object, slot)
        }
        set {
            guard let slot = slot(of: object, storage) else {
                let name = ManagedNames.name(of: object, storage)
                return object.refuse(ClassCheck.problem(Object.self, name, object.info))
            }
            newValue.write(object, slot)
        }
    }

    private static func slot<Object: NSManagedObject>(
        of object: Object, _ storage: ReferenceWritableKeyPath<Object, Managed<Value>>
    ) -> Int? {
        let known = object[keyPath: storage].slot
        if known >= 0 { return Int(known) }
        guard let slot = object.info.slots[ManagedNames.name(of: object, storage)] else { return nil }
        object[keyPath: storage].slot = Int32(slot)
        return slot
    }
}

extension NSManagedObject {
    /// Notes that the object was given a value which it has no place for, so that it is not saved without it.
    final func refuse(_ error: StoreError) {
        let extras = extras ?? ObjectExtras()
        if extras.refusal == nil { extras.refusal = error }
        self.extras = extras
        touch()
    }
}

/// A property that `Mirror` shows, which can be marked to find its name.
protocol ManagedStorage {
    var slot: Int32 { get }
}

extension Managed: ManagedStorage {}
