import StoreModel

/// The triggers that keep derived attributes (Format, section 5), for the derivations whose form is known: `rel.@count`.
struct DerivedTriggers {
    private let plan: SchemaPlan

    init(_ plan: SchemaPlan) {
        self.plan = plan
    }

    var statements: [String] {
        plan.model.numberedEntities.flatMap { entity in
            entity.attributes.filter { $0.isDerived && !$0.isTransient }.flatMap { triggers(of: $0, in: entity) }
        }
    }

    private func triggers(of attribute: AttributeDescription, in entity: EntityDescription) -> [String] {
        guard let derivation = attribute.derivation, derivation.filteringPredicateFormat == nil,
            let own = plan.column(of: attribute.name, in: entity.name)
        else { return [] }
        let path = derivation.format.split(separator: ".").map(String.init)
        guard path.count == 2, path[1] == "@count",
            let relationship = plan.model.relationships(of: entity.name).first(where: { $0.name == path[0] }),
            relationship.isToMany, let inverse = relationship.inverseName,
            let key = plan.column(of: inverse, in: relationship.destinationEntityName)
        else { return [] }
        return count(attribute.name, entity.name, own, key)
    }

    private func count(
        _ attribute: String, _ entity: String, _ own: (table: String, column: String),
        _ key: (table: String, column: String)
    ) -> [String] {
        func told(_ row: String) -> String {
            "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('\(own.table)', Z_ENT, Z_PK, '\(attribute)', "
                + "\(own.column)) FROM \(own.table) WHERE Z_PK = \(row).\(key.column);"
        }
        func step(_ sign: String, _ row: String) -> String {
            "UPDATE \(own.table) SET \(own.column) = IFNULL(\(own.column), 0) \(sign) 1 WHERE Z_PK = \(row).\(key.column);"
        }
        let name = "Z_DA_\(key.table)_\(entity)_\(attribute)_PARAMETER"
        return [
            "CREATE TRIGGER \(name)_INSERT AFTER INSERT ON \(key.table) FOR EACH ROW WHEN (NEW.\(key.column) NOT NULL) "
                + "BEGIN \(step("+", "NEW")) \(told("NEW")) END",
            "CREATE TRIGGER \(name)_UPDATE_INCREMENT AFTER UPDATE OF \(key.column) ON \(key.table) FOR EACH ROW "
                + "WHEN (NEW.\(key.column) NOT NULL AND (OLD.\(key.column) IS NULL OR OLD.\(key.column) <> NEW.\(key.column))) "
                + "BEGIN \(step("+", "NEW")) \(told("NEW")) END",
            "CREATE TRIGGER \(name)_UPDATE_DECREMENT AFTER UPDATE OF \(key.column) ON \(key.table) FOR EACH ROW "
                + "WHEN (OLD.\(key.column) NOT NULL AND (NEW.\(key.column) IS NULL OR OLD.\(key.column) <> NEW.\(key.column))) "
                + "BEGIN \(step("-", "OLD")) \(told("OLD")) END",
            "CREATE TRIGGER \(name)_DELETE AFTER DELETE ON \(key.table) FOR EACH ROW WHEN (OLD.\(key.column) NOT NULL) "
                + "BEGIN \(step("-", "OLD")) \(told("OLD")) END",
        ]
    }
}
