import SQLite
import StoreModel

/// Finds the objects of a salvaged store that lack something mandatory, since what they led to is lost, or a value is.
///
/// They stay: Core Data opens and reads such an object, and refuses to save it only when it is changed. Left out, it would
/// be lost too, with all that leads to it.
struct SalvageGaps {
    private let connection: Connection
    private let store: Store

    init(_ connection: Connection, _ store: Store) {
        self.connection = connection
        self.store = store
    }

    func find(_ report: inout StoreSalvage.Report) throws {
        for root in store.layout.roots {
            let plan = ColumnPlan(root: root.name, model: store.model, numbers: store.catalogue.numbers)
            for column in plan.columns where isMandatory(column.purpose) {
                let numbers = store.model.tree(of: column.purpose.entity).compactMap {
                    store.catalogue.numbers[$0.name]
                }
                let sql = """
                    SELECT Z_PK, Z_ENT FROM \(root.table.sqlIdentifier)
                    WHERE Z_ENT IN \(numbers.sqlList) AND \(column.name.sqlIdentifier) IS NULL ORDER BY Z_PK
                    """
                try connection.prepare(sql).forEach { row in
                    report.unsavableCount += 1
                    guard report.unsavable.count < StoreSalvage.Report.limit else { return }
                    let entity = store.layout[number: row.integer(1)]?.name ?? column.purpose.entity
                    report.unsavable.append(
                        .init(entity: entity, key: row.integer(0), property: column.purpose.property))
                }
            }
        }
    }

    private func isMandatory(_ purpose: ColumnPurpose) -> Bool {
        guard let entity = store.model[purpose.entity] else { return false }
        switch purpose.role {
        case .foreignKey: return entity.relationships.contains { $0.name == purpose.property && !$0.isOptional }
        case .attribute:
            return entity.attributes.contains {
                $0.name == purpose.property && !$0.isOptional && !$0.isDerived && !$0.isComposite
            }
        default: return false
        }
    }
}
