import SQLite
import StoreModel

/// Computes derived attributes anew, for the derivations whose form is known (Format, section 5). Others keep their values.
struct DerivedFill {
    let context: MigrationContext

    func run() throws {
        let plan = context.plan
        for entity in plan.model.numberedEntities {
            for attribute in entity.attributes where attribute.isDerived && !attribute.isTransient {
                guard let own = plan.column(of: attribute.name, in: entity.name) else { continue }
                guard let form = DerivationForm(attribute, of: entity.name, in: plan.model),
                    let value = expression(form, of: entity.name)
                else {
                    try refuseUnknown(attribute, entity)
                    continue
                }
                // In every row of the table, as the triggers do it.
                try context.connection.execute("UPDATE main.\(own.table) SET \(own.column) = \(value)")
            }
        }
    }

    private func expression(_ form: DerivationForm, of entity: String) -> String? {
        let plan = context.plan
        switch form {
        case .count(let destination, let inverse):
            return plan.column(of: inverse, in: destination).map { key in
                "(SELECT count(*) FROM main.\(key.table) d WHERE d.\(key.column) = main.\(table(entity)).Z_PK)"
            }
        case .value(let relationship, let destination, let attribute):
            guard let key = plan.column(of: relationship, in: entity),
                let value = plan.column(of: attribute, in: destination)
            else { return nil }
            return
                "(SELECT d.\(value.column) FROM main.\(value.table) d WHERE d.Z_PK = main.\(table(entity)).\(key.column))"
        }
    }

    private func table(_ entity: String) -> String { ColumnPlan.tableName(context.plan.model.rootName(of: entity)) }

    /// Triggers of a form that is not known cannot be made anew, and without them the values would go stale.
    private func refuseUnknown(_ attribute: AttributeDescription, _ entity: EntityDescription) throws {
        guard let was = context.mapping.entity(entity.name), let old = was.source,
            let name = was.attribute(attribute.name)?.source
        else { return }
        let pattern = "Z_DA_*_\(old)_\(name)_*"
        let sql = "SELECT 1 FROM \(MigrationContext.schema).sqlite_master WHERE type = 'trigger' AND name GLOB ?"
        guard try context.connection.scalar(sql, [.text(pattern)]) != nil else { return }
        context.refuse(
            .foreignContent, entity.name, attribute.name,
            "triggers of a form that is not known keep it up to date, and cannot be made anew",
            way: "migrate the store with Apple's frameworks, or remove the attribute from the new model")
    }
}
