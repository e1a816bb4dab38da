import StoreFormat
import Synchronization

/// An object's identity: its entity, and its key in the store or a temporary one.
public final class NSManagedObjectID: Sendable, Hashable, CustomStringConvertible {
    let schemaEntity: SchemaEntity
    /// The row's key; negative for an object that was never saved.
    let key: Int64

    private static let lastTemporary = Atomic<Int64>(0)

    init(_ entity: SchemaEntity, key: Int64) {
        schemaEntity = entity
        self.key = key
    }

    /// A new temporary identity.
    init(temporary entity: SchemaEntity) {
        schemaEntity = entity
        key = Self.lastTemporary.subtract(1, ordering: .relaxed).newValue
    }

    /// Whether the object was never saved.
    public var isTemporaryID: Bool { key < 0 }
    /// The object's entity.
    public var entity: NSEntityDescription { schemaEntity.description }
    /// `x-coredata://<store UUID>/Entity/p12`.
    public func uriRepresentation() -> URL { URL(string: uriText) ?? URL(fileURLWithPath: "/") }
    /// The same as the short form that records use; nil for a temporary identity.
    public var reference: ObjectReference? {
        isTemporaryID ? nil : ObjectReference(entity: schemaEntity.name, key: key)
    }

    var uriText: String { ObjectURI.text(schemaEntity.storeUUID, schemaEntity.name, key) }
    var rowKey: RowKey { RowKey(root: schemaEntity.rootIndex, key: key) }
    /// How messages name the object.
    var shown: ObjectReference { ObjectReference(entity: schemaEntity.name, key: key) }

    /// The identity as its URI.
    public var description: String { uriText }

    /// Whether both mean the same row: the same key in the same tree of entities, of the same store.
    public static func == (a: NSManagedObjectID, b: NSManagedObjectID) -> Bool {
        a === b
            || a.key == b.key && a.schemaEntity.rootIndex == b.schemaEntity.rootIndex
                && (a.schemaEntity === b.schemaEntity || a.schemaEntity.storeUUID == b.schemaEntity.storeUUID)
    }

    /// Hashes the key and the tree of entities.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(key)
        hasher.combine(schemaEntity.rootIndex)
    }
}
