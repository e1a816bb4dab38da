import Foundation
import Observation
import StoreFormat

/// A class whose objects are kept in a store; `@Model` conforms it.
public protocol PersistentModel: AnyObject, Observable, Hashable, Identifiable, SendableMetatype {
    /// What the class says of its properties, in the order in which they are written.
    static var schemaMetadata: [Schema.PropertyMetadata] { get }
    /// `#Unique` and `#Index`.
    static var _$schemaDeclarations: [Schema._Declaration] { get }
    static var _$shape: ModelShape { get }
    var _$backing: ModelBacking { get }
    /// Makes the object for a backing that the context has at hand.
    init(_$materializing backing: ModelBacking)
}

extension PersistentModel {
    /// The object's identity, which goes between contexts; temporary until the first save.
    public var persistentModelID: PersistentIdentifier { _$backing.identifier }

    /// The context that the object is in.
    public var modelContext: ModelContext? { _$backing.context?.facade }

    /// Whether the next save would write the object.
    public var hasChanges: Bool {
        switch _$backing.state {
        case .inserted, .deleted: true
        case .persistent: _$backing.context?.isChanged(_$backing) ?? false
        case .detached, .gone: false
        }
    }

    /// Whether the object is deleted, or will be by the next save.
    public var isDeleted: Bool {
        _$backing.context?.syncIfNeeded()
        if _$backing.isStale { _$backing.context?.refreshFromStore(_$backing) }
        return _$backing.state == .deleted || _$backing.state == .gone
    }

    /// Whether both are the same object in memory.
    public static func == (a: Self, b: Self) -> Bool { a === b }

    /// Hashes the object's identity in memory.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension PersistentModel where ID == PersistentIdentifier {
    /// The same as `persistentModelID`.
    public var id: PersistentIdentifier { persistentModelID }
}
