import Foundation
import StoreFormat
import StoreModel

/// What `@Attribute` and `@Relationship` say of a property.
public protocol SchemaProperty: Sendable {}

extension Schema {
    /// An attribute of an entity.
    public struct Attribute: SchemaProperty, Hashable {
        /// How a value is stored.
        public struct Option: Sendable, Hashable {
            enum Kind: Sendable, Hashable {
                case unique
                case externalStorage
                case preserveValueOnDeletion
                case spotlight
                case ephemeral
                case allowsCloudEncryption
                case transformable(String)
            }

            let kind: Kind

            /// The name of the transformer.
            var transformer: String? {
                if case .transformable(let name) = kind { return name }
                return nil
            }

            /// No two objects have the same value; inserting one with the value of another updates that one.
            public static let unique = Option(kind: .unique)
            /// Large values lie in files beside the store.
            public static let externalStorage = Option(kind: .externalStorage)
            /// A deletion's history keeps the value.
            public static let preserveValueOnDeletion = Option(kind: .preserveValueOnDeletion)
            /// Noted in the model for Spotlight; this stack does not index.
            public static let spotlight = Option(kind: .spotlight)
            /// Observed, but not stored.
            public static let ephemeral = Option(kind: .ephemeral)
            /// Noted in the model for CloudKit; this stack does not encrypt.
            public static let allowsCloudEncryption = Option(kind: .allowsCloudEncryption)

            /// Stored as what the transformer that is registered under this name makes of it.
            public static func transformable(by name: String) -> Option { Option(kind: .transformable(name)) }
            /// Stored as what the transformer makes of it that is registered under the name of its class.
            public static func transformable(by type: StoreFormat.ValueTransformer.Type) -> Option {
                Option(kind: .transformable(String(describing: type)))
            }
        }

        /// The property's name, which the schema fills in.
        public var name = ""
        /// How the value is stored, as `@Attribute` says.
        public let options: [Option]
        /// The name that an earlier version of the schema had for it.
        public let originalName: String?
        /// Text that goes into the version hash, so that a change of meaning alone changes the hash.
        public let hashModifier: String?
        /// Whether the property's type is optional, which the schema fills in.
        public var isOptional = false
        /// Whether no two objects have the same value.
        public var isUnique: Bool { options.contains(.unique) }

        /// Says how a property is stored; what `@Attribute` passes on.
        public init(_ options: Option..., originalName: String? = nil, hashModifier: String? = nil) {
            self.options = options
            self.originalName = originalName
            self.hashModifier = hashModifier
        }
    }

    /// A relationship of an entity.
    public struct Relationship: SchemaProperty, Hashable, @unchecked Sendable {
        // Safe to share: immutable, and key paths without captured values are so by nature.

        /// What else is said of a relationship.
        public struct Option: Sendable, Hashable {
            let name: String
            /// Kept for source compatibility: the schema makes nothing of it.
            public static let unique = Option(name: "unique")
        }

        /// What a deletion does to the objects at the other end.
        public enum DeleteRule: String, Sendable, Hashable, Codable, CaseIterable {
            case noAction
            case nullify
            case cascade
            case deny
        }

        /// The property's name, which the schema fills in.
        public var name = ""
        /// What else `@Relationship` says.
        public let options: [Option]
        /// What a deletion does to the objects at the other end.
        public let deleteRule: DeleteRule
        /// How few objects the other end may have; nil is 0.
        public let minimumModelCount: Int?
        /// How many objects a to-many may have; 0 and nil are no limit.
        public let maximumModelCount: Int?
        /// The name that an earlier version of the schema had for it.
        public let originalName: String?
        let inverseKeyPath: AnyKeyPath?
        /// Text that goes into the version hash, so that a change of meaning alone changes the hash.
        public let hashModifier: String?
        /// The entity at the other end.
        public var destination = ""
        /// The property at the other end, declared or inferred.
        public var inverseName: String?
        /// Whether the property's type is optional, which the schema fills in.
        public var isOptional = false
        /// Whether the property holds one object instead of a list, which the schema fills in.
        public var isToOneRelationship = true

        /// Says how objects are related; what `@Relationship` passes on.
        public init(
            _ options: Option..., deleteRule: DeleteRule = .nullify, minimumModelCount: Int? = 0,
            maximumModelCount: Int? = 0, originalName: String? = nil, inverse: AnyKeyPath? = nil,
            hashModifier: String? = nil
        ) {
            self.options = options
            self.deleteRule = deleteRule
            self.minimumModelCount = minimumModelCount
            self.maximumModelCount = maximumModelCount
            self.originalName = originalName
            self.inverseKeyPath = inverse
            self.hashModifier = hashModifier
        }
    }

    /// What `@Model` says of one property.
    public struct PropertyMetadata: @unchecked Sendable {
        // Safe to share: immutable; key paths without captured values and metatypes are so by nature.
        let name: String
        let keyPath: AnyKeyPath
        let valueType: Any.Type
        let defaultValue: ModelValue?
        /// What the class gives the property, for where the store has no value of its type.
        let absent: Absent?
        let metadata: (any SchemaProperty)?
        /// Tells the property's observers that it has changed.
        let notify: (AnyObject, ModelBacking) -> Void

        /// Notes a property; only a Boolean, `Int`, `Double` or `String` is kept as the model's default. `absent` makes
        /// the class' default of any type.
        public init<M: PersistentModel, V>(
            name: String, keyPath: KeyPath<M, V>, defaultValue: Any? = nil, absent: (() -> V)? = nil,
            metadata: (any SchemaProperty)? = nil
        ) {
            self.absent = absent.map { make in Absent { make() } }
            self.name = name
            self.keyPath = keyPath
            self.metadata = metadata
            valueType = V.self
            self.defaultValue = Self.modelValue(defaultValue)
            notify = { object, backing in
                guard let object = object as? M else { return }
                backing.registrar?.willSet(object, keyPath: keyPath)
                backing.registrar?.didSet(object, keyPath: keyPath)
            }
        }

        /// A property's default, made once: one such as `UUID()` is another each time.
        final class Absent: @unchecked Sendable {
            // Safe to share: `made` is only touched under `lock`, and what it holds is handed out as the class' own
            // initializer hands it out.
            private let lock = NSLock()
            private let make: () -> Any
            private var made: Any?

            init(_ make: @escaping () -> Any) {
                self.make = make
            }

            var value: Any {
                lock.lock()
                defer { lock.unlock() }
                if let made { return made }
                let value = make()
                made = value
                return value
            }
        }

        private static func modelValue(_ value: Any?) -> ModelValue? {
            switch value {
            case let value as Bool: .bool(value)
            case let value as Int: .integer(Int64(value))
            case let value as Double: .double(value)
            case let value as String: .string(value)
            default: nil
            }
        }
    }

    /// `#Unique` or `#Index`, as `@Model` passes it on.
    public struct _Declaration: @unchecked Sendable {
        // Safe to share: immutable, and key paths without captured values are so by nature.
        let isUnique: Bool
        let keyPaths: [[AnyKeyPath]]
    }

    /// The constraints of `#Unique`.
    public struct Unique<T: PersistentModel> {
        /// The constraints without the class, as the schema takes them.
        public let _declaration: _Declaration

        /// Notes the constraints; each list is unique together.
        public init(_ constraints: [PartialKeyPath<T>]...) {
            _declaration = _Declaration(isUnique: true, keyPaths: constraints)
        }
    }

    /// The indexes of `#Index`.
    public struct Index<T: PersistentModel> {
        /// The indexes without the class, as the schema takes them.
        public let _declaration: _Declaration

        /// Notes the indexes; each list is indexed together.
        public init(_ indices: [PartialKeyPath<T>]...) {
            _declaration = _Declaration(isUnique: false, keyPaths: indices)
        }
    }
}
