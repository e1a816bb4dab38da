import Foundation
import StoreFormat

/// An object's identity, to be passed between contexts, stored and sent.
public struct PersistentIdentifier: Sendable, Hashable, Codable, Identifiable, CustomStringConvertible {
    /// The name of the object's entity.
    public let entityName: String
    /// The store's UUID; nil until the object is saved.
    public let storeIdentifier: String?
    let key: Int64

    /// The key in the store; negative for an object that was not saved yet.
    public var id: Int64 { key }
    var isTemporary: Bool { storeIdentifier == nil }

    /// The object in the form that the control interface uses; nil until it is saved.
    public var reference: ObjectReference? {
        isTemporary ? nil : ObjectReference(entity: entityName, key: key)
    }

    /// `Trip/12`.
    public var description: String { isTemporary ? "\(entityName)/t\(-key)" : "\(entityName)/\(key)" }

    init(entityName: String, storeIdentifier: String?, key: Int64) {
        self.entityName = entityName
        self.storeIdentifier = storeIdentifier
        self.key = key
    }

    /// The identity of an object of a store.
    public static func identifier(for storeIdentifier: String, entityName: String, primaryKey: Int64) -> Self {
        Self(entityName: entityName, storeIdentifier: storeIdentifier, key: primaryKey)
    }
}

extension ModelBacking {
    var identifier: PersistentIdentifier {
        let name = entity?.name ?? shape?.name ?? ""
        guard key > 0, let context else {
            return PersistentIdentifier(entityName: name, storeIdentifier: nil, key: key)
        }
        return PersistentIdentifier(entityName: name, storeIdentifier: context.instance.store.uuid, key: key)
    }
}
