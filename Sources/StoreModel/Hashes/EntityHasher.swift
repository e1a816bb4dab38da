/// The serialisations that version hashes are taken of (Format, section 9).
enum EntityHasher {
    /// The hash of an entity; `known` keeps those that are there already, ancestors among them.
    static func hash(
        of name: String, in model: ModelDescription, _ known: inout [String: [UInt8]]
    ) throws(ModelError) -> [UInt8] {
        if let hash = known[name] { return hash }
        let chain = model.inheritanceChain(of: name)
        if let root = chain.first, let above = root.superentityName {
            // The chain stops where a parent is missing or comes again.
            guard model[above] == nil else { throw .inheritanceCycle(entity: name) }
            throw .missing(what: "entity \(above)", place: "entity \(root.name)")
        }
        var properties: [String: [UInt8]] = [:]
        var last: [UInt8] = []
        for (depth, entity) in chain.enumerated() {
            add(entity, to: &properties)
            if let hash = known[entity.name] {
                last = hash
                continue
            }
            var digest = SHA256()
            digest.update(entity.name.utf8)
            digest.update([entity.isAbstract ? 1 : 0])
            if depth > 0 { digest.update(last) }
            for (_, hash) in properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
                digest.update(hash)
            }
            digest.update((entity.versionHashModifier ?? "").utf8)
            let constraints = entity.uniquenessConstraints.map { $0.joined(separator: ".") }
            for text in constraints.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
                digest.update(text.utf8)
            }
            last = digest.finalize()
            known[entity.name] = last
        }
        return last
    }

    /// Transient properties have no part in the hash, and hide an inherited one of the same name.
    private static func add(_ entity: EntityDescription, to properties: inout [String: [UInt8]]) {
        for attribute in entity.attributes {
            properties[attribute.name] = attribute.isTransient ? nil : hash(of: attribute)
        }
        for relationship in entity.relationships {
            properties[relationship.name] = relationship.isTransient ? nil : hash(of: relationship, in: entity.name)
        }
    }

    private static func base(_ name: String, _ isOptional: Bool, _ modifier: String?) -> [UInt8] {
        // The zero byte is 0 in everything that was ever seen; what it stands for is unknown.
        SHA256.hash(Array(name.utf8) + [isOptional ? 1 : 0, 0] + Array((modifier ?? "").utf8))
    }

    private static func littleEndian(_ value: Int) -> [UInt8] {
        let bits = UInt32(bitPattern: Int32(truncatingIfNeeded: value))
        return (0..<4).map { UInt8(truncatingIfNeeded: bits >> UInt32(8 * $0)) }
    }

    static func hash(of attribute: AttributeDescription) -> [UInt8] {
        if let derivation = attribute.derivation { return SHA256.hash(derivation.hashDescription.utf8) }
        if attribute.isComposite {
            let elements = attribute.elements.map { ($0.name, hash(of: $0)) }
            let sorted = elements.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
            return SHA256.hash(sorted.flatMap(\.1))
        }
        var bytes = base(attribute.name, attribute.isOptional, attribute.versionHashModifier)
        bytes += littleEndian(attribute.type.rawValue)
        if attribute.allowsExternalBinaryDataStorage { bytes.append(1) }
        if attribute.preservesValueInHistoryOnDeletion { bytes.append(1) }
        return SHA256.hash(bytes)
    }

    static func hash(of relationship: RelationshipDescription, in entity: String) -> [UInt8] {
        var bytes = base(relationship.name, relationship.isOptional, relationship.versionHashModifier)
        bytes += Array(relationship.destinationEntityName.utf8)
        let isItsOwnInverse =
            relationship.inverseName == relationship.name && relationship.destinationEntityName == entity
        if let inverse = relationship.inverseName, !isItsOwnInverse { bytes += Array(inverse.utf8) }
        bytes += littleEndian(relationship.maxCount) + littleEndian(relationship.minCount)
        if relationship.isOrdered { bytes += [1, 0] }
        return SHA256.hash(bytes)
    }
}
