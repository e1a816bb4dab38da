import StoreFormat

/// What a class' initializer is given to make an object that stands for one which is not there.
///
/// A to-one that the program's class says is always there can lead nowhere in a file. The object that stands in has no
/// values and no context, counts as deleted, and cannot be related to others; `checkedValue(forKey:)` tells why.
final class MissingObject: NSEntityDescription, @unchecked Sendable {
    // Sendable for the reason that NSEntityDescription gives; what is added never changes.
    let id: NSManagedObjectID

    private init(_ id: NSManagedObjectID) {
        self.id = id
        super.init()
        name = id.schemaEntity.name
    }

    /// A stand-in of a class for no object at all.
    static func standIn<Object: NSManagedObject>(_ type: Object.Type, _ entity: SchemaEntity) -> Object {
        type.init(entity: MissingObject(NSManagedObjectID(temporary: entity)), insertInto: nil)
    }

    /// The stand-in for what a to-one leads to; nil where the store has no such entity.
    static func of<Object: NSManagedObject>(
        _ type: Object.Type, _ object: NSManagedObject, _ slot: Int, _ relationship: SchemaRelationship
    ) -> Object? {
        guard let schema = object.managedObjectContext?.instance.schema ?? object.lastSchema,
            relationship.destination >= 0
        else { return nil }
        let entity = schema.entities[relationship.destination]
        let key = object.toOneID(slot, relationship)?.key
        let id = key.map { NSManagedObjectID(entity, key: $0) } ?? NSManagedObjectID(temporary: entity)
        return type.init(entity: MissingObject(id), insertInto: nil)
    }
}
