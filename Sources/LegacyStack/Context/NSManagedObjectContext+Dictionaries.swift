import Foundation
import SQLite
import StoreFormat
import StoreModel

extension NSManagedObjectContext {
    /// Results as dictionaries, straight from the database; unsaved changes do not count.
    func dictionaries<T>(_ entity: SchemaEntity, _ request: NSFetchRequest<T>) throws -> [NSDictionary] {
        let items: [Any] = request.propertiesToFetch ?? entity.layout.attributes.map(\.name)
        let names: [String] = try items.map { item in
            if let name = item as? String { return name }
            if let property = item as? NSPropertyDescription { return property.name }
            throw StoreError(.badPredicate, "\(item) is no property to fetch", way: "give names of properties")
        }
        let compiler = SQLCompiler(schema: instance.schema)
        let scope = compiler.makeScope(entity)
        let operands = try names.map { name in
            try compiler.path(name.split(separator: ".").map(String.init), alias: scope.alias, entity: entity, scope)
        }
        let sort = (request.sortDescriptors ?? []).compactMap { descriptor in
            descriptor.key.map {
                FetchPlan.Sort(
                    path: $0, isAscending: descriptor.ascending,
                    isCaseInsensitive: descriptor.textOrder == .caseInsensitive)
            }
        }
        let plan = try FetchPlan(
            entity, scope, compiler, instance.schema, predicate: try request.predicate?.compilable(), sort: sort,
            limit: request.fetchLimit > 0 ? request.fetchLimit : nil, offset: request.fetchOffset,
            includesSubentities: request.includesSubentities)
        let list = try operands.map { try compiler.sql($0) }
        var results: [NSDictionary] = []
        try instance.read { connection in
            let sql = plan.select(list, isDistinct: request.returnsDistinctResults)
            try connection.prepare(sql).forEach(plan.values) { row in
                let result = NSMutableDictionary()
                for (i, name) in names.enumerated() {
                    if let value = value(row.value(i), operands[i]) { result[name] = value }
                }
                results.append(result)
            }
        }
        return results
    }

    private func value(_ raw: SQLValue, _ operand: SQLOperand) -> Any? {
        switch operand {
        case .attribute(_, let leaf):
            let attribute = AttributeDescription(name: leaf.name, type: leaf.type)
            let value = ValueCoding.decode(raw, as: leaf, external: instance.schema.externalData)
            return ValueBox.object(value, attribute)
        case .object(_, let entity):
            return raw.integerValue.map { concreteID(entity, $0) }
        default:
            if let value = raw.integerValue { return NSNumber(value: value) }
            return raw.doubleValue.map { NSNumber(value: $0) } ?? raw.textValue
        }
    }

    private func concreteID(_ entity: SchemaEntity, _ key: Int64) -> NSManagedObjectID {
        object(with: NSManagedObjectID(entity, key: key)).id
    }
}
