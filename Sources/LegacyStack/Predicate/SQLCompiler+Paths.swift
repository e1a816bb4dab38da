import SQLite
import StoreFormat
import StoreModel

extension SQLCompiler {
    /// What the expression is in the scope.
    func operand(_ expression: ExpressionNode, _ scope: SQLScope) throws -> SQLOperand {
        switch expression {
        case .evaluatedObject: return .object(sql: "\(scope.alias).Z_PK", entity: scope.entity)
        case .keyPath(let parts): return try path(parts, alias: scope.alias, entity: scope.entity, scope)
        case .constant(.array(let elements)): return .list(elements.map { .constant($0) })
        case .constant(let value): return .constant(value)
        case .objectURI(let uri): return .objectURI(uri)
        case .aggregate(let elements): return .list(try elements.map { try operand($0, scope) })
        case .variable(let name, let keyPath):
            guard let inner = variables[name] else {
                throw Self.unsupported("the variable $\(name) has no value", "substitute it before fetching")
            }
            return try path(keyPath, alias: inner.alias, entity: inner.entity, inner)
        case .subquery(let source, let variable, let predicate, let keyPath):
            return try subquery(source, variable, predicate, keyPath, scope)
        case .conditional(let condition, let yes, let no):
            let test = try compile(condition, scope)
            let (a, b) = (try operand(yes, scope), try operand(no, scope))
            let sql = "(CASE WHEN \(test) THEN \(try sql(a)) ELSE \(try sql(b)) END)"
            return .computed(sql: sql)
        case .function(let name, let arguments): return try function(name, arguments, scope)
        case .archived(let part): throw Self.unsupported("a \(part.className) cannot be turned into SQL")
        }
    }

    /// Follows a key path from a row.
    func path(
        _ parts: [String], alias: String, entity: SchemaEntity, _ scope: SQLScope
    ) throws -> SQLOperand {
        var alias = alias
        var entity = entity
        for (i, part) in parts.enumerated() {
            let rest = Array(parts[(i + 1)...])
            if part == "self" || part == "SELF" || part == "objectID" { continue }
            guard let slot = entity.slots[part] else { throw entity.unknownKey(part) }
            switch entity.properties[slot] {
            case .transient:
                throw Self.unsupported("\(entity.name).\(part) is transient and in no column")
            case .fetched:
                throw Self.unsupported("\(entity.name).\(part) is a fetched property and in no column")
            case .attribute(let attribute):
                return try column(attribute, rest, alias, entity)
            case .relationship(let relationship):
                guard let destination = relationship.destination >= 0 ? schema.entities[relationship.destination] : nil
                else { throw Self.unsupported("\(entity.name).\(part) leads to no entity of the store") }
                if relationship.isToMany {
                    return try many(
                        SQLCollection(alias: alias, relationship: relationship, destination: destination, rest: rest))
                }
                guard case .toOne(let key) = relationship.layout.storage else {
                    throw Self.unsupported("\(entity.name).\(part) has no column in the store")
                }
                if rest.isEmpty || rest == ["objectID"] || rest == ["self"] {
                    return .object(
                        sql: "\(alias).\(entity.layout.columns[key.column].sqlIdentifier)", entity: destination)
                }
                alias = scope.join(from: alias, key, of: entity, to: destination, makeAlias: makeAlias)
                entity = destination
            }
        }
        return .object(sql: "\(alias).Z_PK", entity: entity)
    }

    private func column(
        _ attribute: SchemaAttribute, _ rest: [String], _ alias: String, _ entity: SchemaEntity
    ) throws -> SQLOperand {
        let leaf: LeafLayout?
        if attribute.isComposite {
            leaf = rest.count == 1 ? attribute.leaves.first { $0.name == rest[0] } : nil
            if leaf == nil {
                throw Self.unsupported(
                    "\(entity.name).\(attribute.name) is composite",
                    "name one of its parts: \(attribute.leaves.map(\.name).joined(separator: ", "))")
            }
        } else {
            guard rest.isEmpty else {
                throw Self.unsupported("\(entity.name).\(attribute.name) is an attribute, and has no key \(rest[0])")
            }
            leaf = attribute.leaf
        }
        guard let leaf, let column = leaf.column else { return .constant(.null) }
        return .attribute(sql: "\(alias).\(entity.layout.columns[column].sqlIdentifier)", leaf: leaf)
    }

    /// A to-many with what is asked of it: `@count`, `@sum.pages`, or the members.
    private func many(_ collection: SQLCollection) throws -> SQLOperand {
        guard let name = collection.rest.first(where: { $0.hasPrefix("@") }) else { return .collection(collection) }
        let key = collection.rest.filter { $0 != name }
        let objects = SQLCollection(
            alias: collection.alias, relationship: collection.relationship, destination: collection.destination,
            rest: [])
        let scope = makeScope(objects.destination)
        if name == "@count", key.isEmpty {
            let (from, link) = try source(objects, scope)
            return .computed(sql: "(SELECT count(*) FROM \(from) WHERE \(link))")
        }
        let functions = ["@sum": "total", "@avg": "avg", "@min": "min", "@max": "max", "@count": "count"]
        guard let function = functions[name], !key.isEmpty,
            case .attribute(let sql, let leaf) = try path(key, alias: scope.alias, entity: scope.entity, scope)
        else {
            throw Self.unsupported(
                "\(collection.relationship.name).\(collection.rest.joined(separator: ".")) cannot be computed in SQL")
        }
        let (from, link) = try source(objects, scope)
        let text = "(SELECT \(function)(\(sql)) FROM \(from)\(scope.joinSQL) WHERE \(link))"
        return name == "@min" || name == "@max" ? .attribute(sql: text, leaf: leaf) : .computed(sql: text)
    }

    private func subquery(
        _ sourceExpression: ExpressionNode, _ variable: String, _ predicate: PredicateNode, _ keyPath: [String],
        _ scope: SQLScope
    ) throws -> SQLOperand {
        guard case .collection(let collection) = try operand(sourceExpression, scope), collection.rest.isEmpty,
            keyPath == ["@count"]
        else {
            throw Self.unsupported(
                "only SUBQUERY(relationship, $x, predicate).@count can be fetched", "ask for its @count")
        }
        let inner = makeScope(collection.destination)
        let outer = variables[variable]
        variables[variable] = inner
        defer { variables[variable] = outer }
        let condition = try compile(predicate, scope)
        let (from, link) = try source(collection, inner)
        return .computed(
            sql: "(SELECT count(*) FROM \(from)\(inner.joinSQL) WHERE \(link) AND \(condition))")
    }

    private func function(_ name: String, _ arguments: [ExpressionNode], _ scope: SQLScope) throws -> SQLOperand {
        if name == "now", arguments.isEmpty { return .constant(.date(Date())) }
        let values = try arguments.map { try sql(try operand($0, scope)) }
        guard let call = PredicateFunctions.call(name, values) else {
            throw Self.unsupported("the function \(name) cannot be computed in SQL")
        }
        return .computed(sql: call)
    }

    /// The operand as one SQL expression, without knowing what it is compared with.
    func sql(_ operand: SQLOperand) throws -> String {
        switch operand {
        case .attribute(let sql, _), .object(let sql, _), .computed(let sql): return sql
        case .constant(let value): return try parameter(PredicateConstant.natural(value))
        case .objectURI(let uri): return try parameter(ObjectURI.key(uri, schema)?.key.map { .integer($0) } ?? .null)
        case .list: throw Self.unsupported("a list can only stand behind IN or BETWEEN")
        case .collection(let collection):
            throw Self.unsupported(
                "the to-many \(collection.relationship.name) cannot stand alone in a comparison",
                "put ANY, ALL or NONE in front, or ask for its @count")
        }
    }
}
