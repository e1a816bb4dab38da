import StoreModel

/// What a model must be before tables are made for it: everything that SQLite would else refuse halfway, in its own words.
enum SchemaRequirements {
    /// - Throws: `StoreError` `ModelUnreadable`, naming entity and property, and the way out.
    static func require(_ model: ModelDescription) throws {
        try SchemaNames.require(model)
        try requireOverrides(model)
        try SchemaConstraints.require(model)
        try SchemaClashes.require(model)
        try SchemaLimits.require(model)
    }

    private static func requireOverrides(_ model: ModelDescription) throws {
        guard let broken = model.brokenOverride else { return }
        throw StoreError(.modelUnreadable, broken.what, way: "rename one of them, or declare both alike")
    }
}
