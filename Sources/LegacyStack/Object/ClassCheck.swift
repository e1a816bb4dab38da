import StoreFormat

/// Whether the classes that a program has for entities fit the model that it was given: a model may come from a file that
/// the program was not built with.
enum ClassCheck {
    /// Looks at the classes that are known when a store is opened; others are looked at when they are used.
    /// - Throws: `StoreError` `SchemaMismatch` for a `@Managed` property that the class's entity does not have.
    static func check(_ classes: [String: NSManagedObject.Type], _ schema: Schema) throws {
        for (name, type) in classes.sorted(by: { $0.key < $1.key }) {
            guard let entity = schema[name] else { continue }
            for property in ManagedNames.all(of: MissingObject.standIn(type, entity))
            where entity.slots[property] == nil {
                var error = problem(type, property, entity)
                error.code = .schemaMismatch
                throw error
            }
        }
    }

    static func problem(_ type: NSManagedObject.Type, _ property: String, _ entity: SchemaEntity) -> StoreError {
        var error = entity.unknownKey(property)
        error.message =
            "class \(type) has @Managed \(property), but entity \(entity.name) of the model has no such property"
        return error
    }
}
