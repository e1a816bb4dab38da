import StoreModel

/// What a model's names must be before they become tables, columns and indexes: Core Data writes them into SQL without
/// quotes, and so a name that is none could say anything.
enum SchemaNames {
    /// - Throws: `StoreError` `ModelUnreadable`, naming what cannot be the name of a table, a column or an index.
    static func require(_ model: ModelDescription) throws {
        for entity in model.entities {
            try require(entity.name, "the entity \(entity.name)")
            for attribute in entity.attributes { try require(attribute, in: entity.name) }
            for relationship in entity.relationships {
                try require(relationship.name, "\(entity.name).\(relationship.name)")
            }
            for index in entity.fetchIndexes {
                try require(index.name, "the fetch index \(index.name) of \(entity.name)")
            }
        }
    }

    private static func require(_ attribute: AttributeDescription, in owner: String) throws {
        let place = "\(owner).\(attribute.name)"
        try require(attribute.name, place)
        for element in attribute.elements { try require(element, in: place) }
    }

    private static func require(_ name: String, _ place: String) throws {
        guard !name.isEmpty, name.unicodeScalars.allSatisfy(isPart) else {
            throw StoreError(
                .modelUnreadable, "\(place) has a name that no table, column or index can have",
                way: "names are letters, digits and underscores")
        }
    }

    /// What SQLite takes for a part of a name without quotes: ASCII letters, digits, `_`, and everything beyond ASCII.
    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 127 || scalar == "_" || ("0"..."9").contains(scalar) || ("a"..."z").contains(scalar)
            || ("A"..."Z").contains(scalar)
    }
}
