import Synchronization

/// Finds the names of `@Managed` properties.
///
/// A property wrapper does not know what it is called. So the first access to a property of a class marks the wrapper's
/// storage, and looks through the object's mirror for the mark: the label there is the name. Remembered by key path.
enum ManagedNames {
    private static let mark: Int32 = -77
    private static let known = Mutex<[Path: String]>([:])

    /// `@unchecked Sendable`: the key path of a stored property captures nothing and never changes.
    private struct Path: Hashable, @unchecked Sendable {
        let path: AnyKeyPath
    }

    static func name<Object: NSManagedObject, Value>(
        of object: Object, _ storage: ReferenceWritableKeyPath<Object, Managed<Value>>
    ) -> String {
        let path = Path(path: storage)
        if let name = known.withLock({ $0[path] }) { return name }
        object[keyPath: storage].slot = mark
        let name = find(object)
        object[keyPath: storage].slot = -1
        guard let name else { preconditionFailure("a @Managed property of \(type(of: object)) has no name") }
        known.withLock { $0[path] = name }
        return name
    }

    private static func find(_ object: NSManagedObject) -> String? {
        storages(of: object).first { $0.storage.slot == mark }?.name
    }

    /// The names of all `@Managed` properties of an object's class.
    static func all(of object: NSManagedObject) -> [String] { storages(of: object).map(\.name) }

    private static func storages(of object: NSManagedObject) -> [(name: String, storage: any ManagedStorage)] {
        var found: [(name: String, storage: any ManagedStorage)] = []
        var mirror: Mirror? = Mirror(reflecting: object)
        while let current = mirror {
            for child in current.children {
                guard let storage = child.value as? any ManagedStorage, let label = child.label else { continue }
                found.append((label.hasPrefix("_") ? String(label.dropFirst()) : label, storage))
            }
            mirror = current.superclassMirror
        }
        return found
    }
}
