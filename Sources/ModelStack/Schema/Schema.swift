import Foundation
import StoreFormat
import StoreModel

/// The entities of a container: made from model classes, and from those that these are related to.
public final class Schema: @unchecked Sendable {
    // Safe to share: everything is set by the initializer and immutable; key paths and metatypes are so by nature.

    /// The version, which goes into the store's metadata.
    public let version: Version
    /// The entities, by name.
    public let entities: [Entity]
    let shapes: [ModelShape]
    private let problem: StoreError?

    /// Makes a schema of classes; classes that they are related to come with them.
    public init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
        self.version = version
        var shapes: [ModelShape] = []
        var seen: Set<ObjectIdentifier> = []
        var queue = types
        while let type = queue.popLast() {
            guard seen.insert(ObjectIdentifier(type)).inserted else { continue }
            let shape = type._$shape
            shapes.append(shape)
            queue += shape.properties.compactMap(\.destination)
        }
        self.shapes = shapes.sorted { $0.name < $1.name }
        do {
            entities = try SchemaBuilder(self.shapes).entities()
            problem = nil
        } catch let error as StoreError {
            entities = []
            problem = error
        } catch {
            entities = []
            problem = StoreError(.refused, "the schema cannot be made: \(error)")
        }
    }

    /// Makes a schema of classes; classes that they are related to come with them.
    public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
        self.init(types, version: version)
    }

    /// Makes the schema of a version.
    public convenience init(versionedSchema: any VersionedSchema.Type) {
        self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
    }

    /// The entity of a class.
    public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
        entities.first { $0.name == T._$shape.name }
    }

    /// The schema in Core Data's terms, with its types and hashes (Format, section 10).
    /// - Throws: `StoreError` where the classes say what no store can keep, naming class and property.
    public func modelDescription() throws -> ModelDescription {
        if let problem { throw problem }
        var model = ModelDescription(
            entities: entities.map(\.description), versionIdentifiers: [version.description])
        model.isSwiftSchema = true
        return model
    }

    /// A version of three numbers.
    public struct Version: Sendable, Hashable, Comparable, Codable, CustomStringConvertible {
        /// The first number.
        public let major: Int
        /// The second number.
        public let minor: Int
        /// The third number.
        public let patch: Int

        /// Makes a version from its three numbers.
        public init(_ major: Int, _ minor: Int, _ patch: Int) {
            self.major = major
            self.minor = minor
            self.patch = patch
        }

        /// Whether the first version is the older one, by its numbers from the left.
        public static func < (a: Version, b: Version) -> Bool {
            (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
        }

        /// The numbers with dots between them, as the store's metadata has them.
        public var description: String { "\(major).\(minor).\(patch)" }
    }

    /// An entity of the schema.
    public struct Entity: Sendable, Hashable {
        /// The entity's name, which is its class'.
        public let name: String
        /// The attributes that the class declares.
        public let attributes: [Attribute]
        /// The relationships that the class declares.
        public let relationships: [Relationship]
        /// The names of the properties that are unique together.
        public let uniquenessConstraints: [[String]]
        /// The names of the properties that are indexed together.
        public let indices: [[String]]
        let description: EntityDescription
    }
}

/// The classes of one version of a store.
public protocol VersionedSchema {
    static var models: [any PersistentModel.Type] { get }
    static var versionIdentifier: Schema.Version { get }
}
