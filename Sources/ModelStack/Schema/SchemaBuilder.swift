import Foundation
import StoreFormat
import StoreModel

/// Makes entities of classes: types, constraints, and the inverses that nobody declared.
struct SchemaBuilder {
    private let shapes: [ModelShape]
    private let byType: [ObjectIdentifier: ModelShape]

    init(_ shapes: [ModelShape]) {
        self.shapes = shapes
        byType = Dictionary(shapes.map { (ObjectIdentifier($0.type), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// - Throws: `StoreError`: two classes of one name, a type that cannot be stored, an inverse that is not clear.
    func entities() throws -> [Schema.Entity] {
        var names: Set<String> = []
        for shape in shapes where !names.insert(shape.name).inserted {
            throw StoreError(
                .refused, "two classes are called \(shape.name)", way: "one schema holds one class of a name")
        }
        let inverses = try InverseFinder(shapes, byType).inverses()
        return try shapes.map { try entity($0, inverses) }
    }

    private func entity(_ shape: ModelShape, _ inverses: [InverseFinder.End: InverseFinder.End]) throws -> Schema.Entity
    {
        var description = EntityDescription(name: shape.name)
        description.className = shape.name
        var attributes: [Schema.Attribute] = []
        var relationships: [Schema.Relationship] = []
        for (i, property) in shape.properties.enumerated() {
            switch property.kind {
            case .unsupported(let problem):
                throw StoreError(.refused, problem, way: "make the type Codable, or mark the property @Transient")
            case .attribute(let base):
                let (attribute, made) = Self.attribute(property, base)
                attributes.append(attribute)
                description.attributes.append(made)
                if attribute.isUnique { description.uniquenessConstraints.append([property.name]) }
            case .toOne(let type, let isOptional), .toMany(let type, let isOptional):
                let inverse = inverses[.init(entity: shape.name, property: i)]
                let (relationship, made) = relationship(property, type, isOptional, inverse)
                relationships.append(relationship)
                description.relationships.append(made)
            }
        }
        var indices: [[String]] = []
        for declaration in shape.declarations {
            for keyPaths in declaration.keyPaths {
                let list = try keyPaths.map { keyPath in
                    guard let property = shape.property(keyPath) else {
                        throw StoreError(
                            .unknownKey, "\(shape.name): a constraint or index names what is no stored property",
                            way: "name persisted properties only")
                    }
                    return property.name
                }
                if declaration.isUnique { description.uniquenessConstraints.append(list) } else { indices.append(list) }
            }
        }
        description.fetchIndexes = indices.map { list in
            FetchIndexDescription(
                name: "by" + list.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And"),
                elements: list.map { FetchIndexDescription.Element(property: $0) })
        }
        return Schema.Entity(
            name: shape.name, attributes: attributes, relationships: relationships,
            uniquenessConstraints: description.uniquenessConstraints, indices: indices, description: description)
    }

    private static func attribute(
        _ property: ShapeProperty, _ base: AttributeDescription
    ) -> (Schema.Attribute, AttributeDescription) {
        var attribute = property.metadata.metadata as? Schema.Attribute ?? Schema.Attribute()
        attribute.name = property.name
        attribute.isOptional = base.isOptional
        var made = base
        made.renamingIdentifier = attribute.originalName ?? property.name
        made.versionHashModifier = attribute.hashModifier
        made.allowsExternalBinaryDataStorage = attribute.options.contains(.externalStorage)
        made.preservesValueInHistoryOnDeletion = attribute.options.contains(.preserveValueOnDeletion)
        made.isIndexedBySpotlight = attribute.options.contains(.spotlight)
        made.allowsCloudEncryption = attribute.options.contains(.allowsCloudEncryption)
        made.isTransient = attribute.options.contains(.ephemeral)
        if !base.isComposite { made.defaultValue = property.metadata.defaultValue }
        return (attribute, made)
    }

    private func relationship(
        _ property: ShapeProperty, _ type: any PersistentModel.Type, _ isOptional: Bool, _ inverse: InverseFinder.End?
    ) -> (Schema.Relationship, RelationshipDescription) {
        var relationship = property.metadata.metadata as? Schema.Relationship ?? Schema.Relationship()
        let isToOne = property.leafCount == 1
        let destination = type._$shape
        let inverseName = inverse.map { destination.properties[$0.property].name }
        relationship.name = property.name
        relationship.destination = destination.name
        relationship.isOptional = isOptional
        relationship.isToOneRelationship = isToOne
        relationship.inverseName = inverseName
        let rules: [Schema.Relationship.DeleteRule: DeleteRule] = [
            .noAction: .noAction, .nullify: .nullify, .cascade: .cascade, .deny: .deny,
        ]
        var made = RelationshipDescription(
            name: property.name, destination: destination.name, inverse: inverseName,
            maxCount: isToOne ? 1 : relationship.maximumModelCount ?? 0, isOptional: isOptional,
            deleteRule: rules[relationship.deleteRule] ?? .nullify)
        made.minCount = relationship.minimumModelCount ?? 0
        made.renamingIdentifier = relationship.originalName ?? property.name
        made.versionHashModifier = relationship.hashModifier
        return (relationship, made)
    }
}

/// Finds the other end of each relationship: as declared at either end, or the only one that fits.
struct InverseFinder {
    struct End: Hashable {
        let entity: String
        let property: Int
    }

    private let shapes: [ModelShape]
    private let byType: [ObjectIdentifier: ModelShape]

    init(_ shapes: [ModelShape], _ byType: [ObjectIdentifier: ModelShape]) {
        self.shapes = shapes
        self.byType = byType
    }

    func inverses() throws -> [End: End] {
        var pairs: [End: End] = [:]
        for shape in shapes {
            for (i, property) in shape.properties.enumerated() {
                guard let destination = property.destination?._$shape,
                    let keyPath = (property.metadata.metadata as? Schema.Relationship)?.inverseKeyPath
                else { continue }
                guard let other = destination.properties.firstIndex(where: { $0.metadata.keyPath == keyPath }) else {
                    throw StoreError(
                        .refused, "\(shape.name).\(property.name): its inverse is no property of \(destination.name)",
                        way: "name a relationship of \(destination.name)")
                }
                let (a, b) = (End(entity: shape.name, property: i), End(entity: destination.name, property: other))
                for (end, partner) in [(a, b), (b, a)] {
                    if let known = pairs[end], known != partner {
                        throw StoreError(
                            .refused, "\(shape.name).\(property.name): two relationships have the same inverse",
                            way: "an inverse belongs to one relationship")
                    }
                    pairs[end] = partner
                }
            }
        }
        try infer(&pairs)
        return pairs
    }

    private func infer(_ pairs: inout [End: End]) throws {
        for shape in shapes {
            for (i, property) in shape.properties.enumerated() {
                let end = End(entity: shape.name, property: i)
                guard pairs[end] == nil, let destination = property.destination?._$shape else { continue }
                let back = candidates(from: destination, to: shape, pairs).filter { $0 != end || shape === destination }
                let own = candidates(from: shape, to: destination, pairs)
                // One each way: they belong together. A to-many or to-one to its own class stays alone.
                guard shape !== destination, back.count == 1, own.count == 1 else {
                    if shape !== destination, back.count > 1 || own.count > 1, !back.isEmpty {
                        throw unclear(shape, property)
                    }
                    continue
                }
                pairs[end] = back[0]
                pairs[back[0]] = end
            }
        }
    }

    private func candidates(from shape: ModelShape, to other: ModelShape, _ pairs: [End: End]) -> [End] {
        shape.properties.enumerated().compactMap { i, property in
            let end = End(entity: shape.name, property: i)
            guard pairs[end] == nil, let type = property.destination, type._$shape === other else { return nil }
            return end
        }
    }

    private func unclear(_ shape: ModelShape, _ property: ShapeProperty) -> StoreError {
        StoreError(
            .refused, "\(shape.name).\(property.name): several relationships could be its inverse",
            way: "name one: @Relationship(inverse: \\Other.property)")
    }
}
