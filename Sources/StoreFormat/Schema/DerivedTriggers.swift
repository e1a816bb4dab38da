import StoreModel

/// The triggers that keep derived attributes (Format, section 5), for the derivations whose form is known.
struct DerivedTriggers {
    private let plan: SchemaPlan

    init(_ plan: SchemaPlan) {
        self.plan = plan
    }

    /// Refuses a model whose derived attributes no trigger of known form can keep: their values would be wrong from the
    /// first change on.
    /// - Throws: `StoreError` `UnsupportedDerivation`, naming each property.
    static func requireKnownForms(_ model: ModelDescription) throws {
        let unknown = model.entities.flatMap { entity in
            entity.attributes.filter {
                $0.isDerived && !$0.isTransient && DerivationForm($0, of: entity.name, in: model) == nil
            }.map { "\(entity.name).\($0.name) (\($0.derivation?.hashDescription ?? ""))" }
        }.sorted()
        guard !unknown.isEmpty else { return }
        throw StoreError(
            .unsupportedDerivation,
            "the triggers that keep derived attributes are known for `toMany.@count` and `toOne.attribute` only, not for "
                + unknown.joined(separator: ", "),
            way: "make \(unknown.count == 1 ? "it a plain attribute" : "them plain attributes"), "
                + "or create the store with Apple's frameworks")
    }

    var statements: [String] {
        plan.model.numberedEntities.flatMap { entity in
            entity.attributes.filter { $0.isDerived && !$0.isTransient }.flatMap { triggers(of: $0, in: entity) }
        }
    }

    private func triggers(of attribute: AttributeDescription, in entity: EntityDescription) -> [String] {
        guard let own = plan.column(of: attribute.name, in: entity.name),
            let form = DerivationForm(attribute, of: entity.name, in: plan.model)
        else { return [] }
        let target = Target(entity: entity.name, attribute: attribute.name, table: own.table, column: own.column)
        switch form {
        case .count(let destination, let inverse):
            return plan.column(of: inverse, in: destination).map { count(target, $0.table, key: $0.column) } ?? []
        case .value(let relationship, let destination, let attribute):
            guard let key = plan.column(of: relationship, in: entity.name),
                let source = plan.column(of: attribute, in: destination)
            else { return [] }
            return value(target, key: key.column, from: source)
        }
    }

    /// The derived column that triggers write.
    private struct Target {
        let entity: String
        let attribute: String
        let table: String
        let column: String

        func name(on table: String, _ event: String) -> String { "Z_DA_\(table)_\(entity)_\(attribute)_\(event)" }

        /// The call that tells the framework which row a trigger touched.
        func told(_ place: String, inserted: Bool = false) -> String {
            "SELECT NSCoreDataDATrigger\(inserted ? "Insert" : "")UpdatedAffectedObjectValue('\(table)', Z_ENT, Z_PK, "
                + "'\(attribute)', \(column)) FROM \(table) WHERE \(place);"
        }
    }

    private func count(_ target: Target, _ table: String, key: String) -> [String] {
        let (own, column) = (target.table, target.column)
        func step(_ event: String, _ clause: String, _ row: String, _ value: String) -> String {
            "CREATE TRIGGER \(target.name(on: table, "PARAMETER_\(event)")) AFTER \(clause) ON \(table) FOR EACH ROW "
                + "WHEN (\(row).\(key) NOT NULL) BEGIN UPDATE \(own) SET \(column) = \(value) WHERE Z_PK = \(row).\(key); "
                + "\(target.told("Z_PK = \(row).\(key)")) END"
        }
        return [
            "CREATE TRIGGER \(target.name(on: own, "SOURCE_INSERT")) AFTER INSERT ON \(own) FOR EACH ROW BEGIN "
                + "UPDATE \(own) SET \(column) = (SELECT IFNULL(COUNT(\(key)), 0) FROM \(table) WHERE \(key) = NEW.Z_PK) "
                + "WHERE Z_PK = NEW.Z_PK; \(target.told("Z_PK = NEW.Z_PK", inserted: true)) END",
            step("INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
            step("UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(column) + 1"),
            step("UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(column) - 1"),
            step("DELETE", "DELETE", "OLD", "\(column) - 1"),
        ]
    }

    private func value(_ target: Target, key: String, from parameter: (table: String, column: String)) -> [String] {
        let (own, column) = (target.table, target.column)
        func related(_ event: String, _ clause: String) -> String {
            "CREATE TRIGGER \(target.name(on: parameter.table, "PARAMETER_\(event)")) AFTER \(clause) ON \(parameter.table) "
                + "FOR EACH ROW BEGIN UPDATE \(own) SET \(column) = NEW.\(parameter.column) WHERE \(key) = NEW.Z_PK; "
                + "\(target.told("\(key) = NEW.Z_PK", inserted: event == "INSERT")) END"
        }
        func source(_ event: String, _ clause: String) -> String {
            "CREATE TRIGGER \(target.name(on: own, "SOURCE_\(event)")) AFTER \(clause) ON \(own) FOR EACH ROW BEGIN "
                + "UPDATE \(own) SET \(column) = (SELECT \(parameter.column) FROM \(parameter.table) WHERE Z_PK = NEW.\(key)) "
                + "WHERE Z_PK = NEW.Z_PK; \(target.told("Z_PK = NEW.Z_PK", inserted: event == "INSERT")) END"
        }
        return [
            source("INSERT", "INSERT"), source("UPDATE", "UPDATE OF \(key)"), related("INSERT", "INSERT"),
            related("UPDATE", "UPDATE OF \(parameter.column)"),
        ]
    }
}
