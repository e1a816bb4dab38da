import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Compiles Foundation's predicates to SQL, with Swift's rules for optionals: nil equals nil, and no condition is ever
/// anything but true or false.
final class PredicateTranslator {
    let query: QueryBuilder
    private let shapes: [ModelShape?]
    var variables: [PredicateExpressions.VariableID: Operand] = [:]

    /// What an expression stands for.
    indirect enum Operand {
        case term(SQLTerm)
        /// SQL that is 0, 1 or, where an optional is nil, NULL.
        case condition(String)
        /// A value that the closure captured.
        case value(Any)
        /// The elements of a to-many, with the conditions that a filter put on them.
        case elements(QueryScope, PropertyPlan, Filter?)
        case range(low: Operand?, high: Operand?, isClosed: Bool)
    }

    struct Filter {
        let source: ToManySource
        let condition: String
    }

    init(_ query: QueryBuilder, shapes: [ModelShape?]) {
        self.query = query
        self.shapes = shapes
    }

    /// The condition for rows of a scope.
    /// - Throws: `StoreError` `BadPredicate`, naming the part that has no SQL.
    func condition<T>(_ predicate: Predicate<T>, _ scope: QueryScope) throws -> String {
        variables[predicate.variable.key] = .term(query.object(scope))
        return try condition(predicate.expression)
    }

    /// The ORDER BY term of a sort descriptor.
    func order<T: PersistentModel>(_ descriptor: SortDescriptor<T>, _ scope: QueryScope) throws -> String {
        guard let keyPath = descriptor.keyPath, let property = shapes[scope.entity.index]?.property(keyPath) else {
            throw StoreError(
                .badPredicate, "a sort descriptor of \(T.self) names what is no stored property of it",
                way: "sort by a persisted property of the class itself")
        }
        let term = try query.resolve([property.name], in: scope)
        if case .composite = term.kind {
            throw StoreError(
                .badPredicate, "\(T.self).\(property.name) is stored in several columns and has no order",
                way: "sort by another property")
        }
        let direction = descriptor.order == .reverse ? " DESC" : ""
        guard term.leaf?.type == .string, descriptor.stringComparator != .lexical else { return term.sql + direction }
        return "\(TextFunctions.sortKey)(\(term.sql))\(direction), \(term.sql)\(direction)"
    }

    // MARK: Expressions

    func translate(_ expression: Any) throws -> Operand {
        guard let known = expression as? any SQLTranslatable else { throw Self.unsupported(expression) }
        return try known.translate(self)
    }

    static func unsupported(_ expression: Any, _ why: String = "has no SQL") -> StoreError {
        let name = "\(type(of: expression))".prefix { $0 != "<" }
        return StoreError(
            .badPredicate, "\(name) in a #Predicate \(why)",
            way: "fetch with a simpler predicate, and filter what was fetched")
    }

    func condition(_ expression: Any) throws -> String {
        try condition(of: try translate(expression), expression)
    }

    func condition(of operand: Operand, _ expression: Any) throws -> String {
        switch operand {
        case .condition(let sql): return sql
        case .term(let term): return term.sql
        case .value(let value as Bool): return value ? "1" : "0"
        default: throw Self.unsupported(expression, "is no condition")
        }
    }

    /// The SQL of an operand's value.
    func sql(_ operand: Operand, beside other: Operand? = nil, _ expression: Any) throws -> String {
        switch operand {
        case .condition(let sql): return "(\(sql))"
        case .term(let term):
            if case .composite(let attribute, let columns) = term.kind {
                // An enumeration has one element, which is its raw value.
                guard columns.count == 1 else {
                    throw Self.unsupported(expression, "cannot compare all of \(attribute.name)")
                }
                return columns[0]
            }
            return term.sql
        case .value(let value): return try query.bind(captured(value, beside: other, expression))
        case .elements, .range: throw Self.unsupported(expression, "cannot compare a sequence")
        }
    }

    /// A captured value as the column beside it holds it.
    func captured(_ value: Any, beside other: Operand?, _ expression: Any) throws -> SQLValue {
        if let id = value as? PersistentIdentifier { return try key(id, beside: other) }
        if let model = value as? any PersistentModel { return try key(model.persistentModelID, beside: other) }
        if let decimal = value as? Decimal, ValueCoding.column(decimal) == nil {
            throw StoreError(
                .precisionLoss, "\(expression) compares with \(decimal), which no store holds exactly",
                way: "give at most 15 digits, or an integer of 64 bits")
        }
        if let scalar = value as? any StoredScalar { return scalar._stored }
        if let optional = value as? any AnyOptionalType {
            guard let inner = optional.wrappedValue else { return .null }
            return try captured(inner, beside: other, expression)
        }
        if let raw = value as? any RawRepresentable, let scalar = Self.raw(raw) as? any StoredScalar {
            return scalar._stored
        }
        if let character = value as? Character { return .text(String(character)) }
        if let text = value as? Substring { return .text(String(text)) }
        if let scalar = value as? any BinaryInteger { return .integer(Int64(truncatingIfNeeded: scalar)) }
        throw Self.unsupported(expression, "compares with a \(type(of: value)), which is no single column's value")
    }

    private static func raw<R: RawRepresentable>(_ value: R) -> Any { value.rawValue }

    private func key(_ id: PersistentIdentifier, beside other: Operand?) throws -> SQLValue {
        // An object of another entity, of another store, or one that was never saved, is equal to none here.
        guard id.storeIdentifier == query.plan.store.uuid, let named = query.plan[id.entityName] else {
            return .integer(-1)
        }
        if case .term(let term)? = other, case .object(let entity) = term.kind, entity.root != named.root {
            return .integer(-1)
        }
        return .integer(id.key)
    }

    func isNull(_ operand: Operand, _ expression: Any) throws -> String {
        switch operand {
        case .term(let term): return query.isNull(term)
        case .condition(let sql): return "(\(sql)) IS NULL"
        case .value(let value):
            if let optional = value as? any AnyOptionalType, optional.wrappedValue == nil { return "1" }
            return "0"
        case .elements: return "0"
        case .range: throw Self.unsupported(expression, "compares a range with nil")
        }
    }

    func isNil(_ operand: Operand) -> Bool {
        if case .value(let value) = operand, let optional = value as? any AnyOptionalType {
            return optional.wrappedValue == nil
        }
        return false
    }

    // MARK: Key paths

    private static func member(_ keyPath: AnyKeyPath, of value: Any, _ expression: Any) throws -> Any {
        func read<Root>(_ root: Root) -> Any? { root[keyPath: keyPath] }
        if let inner = _openExistential(value, do: read) { return inner }
        throw unsupported(expression, "cannot read \(keyPath) of a captured value")
    }

    func step(_ root: Operand, _ keyPath: AnyKeyPath, _ expression: Any) throws -> Operand {
        let valueType = type(of: keyPath).valueType
        switch root {
        case .term(let term):
            return try step(term, keyPath, valueType, expression)
        case .elements(let scope, let property, let filter):
            return try collection(scope, property, filter, valueType, expression)
        case .value(let value):
            return .value(try Self.member(keyPath, of: value, expression))
        default: throw Self.unsupported(expression, "cannot follow \(keyPath)")
        }
    }

    private func step(_ term: SQLTerm, _ keyPath: AnyKeyPath, _ valueType: Any.Type, _ expression: Any) throws
        -> Operand
    {
        switch term.kind {
        case .object(let entity):
            if valueType == PersistentIdentifier.self { return .term(term) }
            guard let property = shapes[entity.index]?.property(keyPath) else {
                throw StoreError(
                    .unknownKey, "\(keyPath) is no stored property of \(entity.name)",
                    way: "computed and @Transient properties cannot be fetched by")
            }
            if case .toMany = property.kind {
                return .elements(try query.scope(of: term), try entity.property(property.name), nil)
            }
            return .term(try query.step(term, property.name))
        case .composite(let attribute, let columns):
            if columns.count == 1, attribute.leaves[0].name == attribute.name {
                return .term(try query.step(term, attribute.name))
            }
            // Only the text of a key path names a structure's stored property.
            let name = "\(keyPath)".split(separator: ".").last.map(String.init) ?? ""
            return .term(try query.step(term, name))
        case .attribute(let leaf) where leaf.type == .string:
            if valueType == Int.self {
                return .term(SQLTerm(sql: "\(TextFunctions.count)(\(term.sql))", kind: .number))
            }
            if valueType == Bool.self { return .condition("\(term.sql) = ''") }
        default: break
        }
        throw Self.unsupported(expression, "cannot follow \(keyPath)")
    }

    private func collection(
        _ scope: QueryScope, _ property: PropertyPlan, _ filter: Filter?, _ valueType: Any.Type, _ expression: Any
    ) throws -> Operand {
        let source = try filter?.source ?? query.elements(property, of: scope)
        if valueType == Int.self {
            return .term(
                SQLTerm(sql: source.select("count(*)", where: filter?.condition), kind: .number, isNullable: false))
        }
        if valueType == Bool.self { return .condition("NOT EXISTS \(source.select("1", where: filter?.condition))") }
        throw Self.unsupported(expression, "can only take count and isEmpty of \(property.name)")
    }

    /// The elements that meet a condition.
    func filtered(
        _ operand: Operand, _ variable: PredicateExpressions.VariableID, _ test: Any, _ expression: Any
    ) throws -> (QueryScope, PropertyPlan, Filter) {
        guard case .elements(let scope, let property, let filter) = operand else {
            throw Self.unsupported(expression, "needs a to-many relationship")
        }
        let source = try filter?.source ?? query.elements(property, of: scope)
        variables[variable] = .term(query.object(source.scope))
        let inner = "(\(try condition(test)))"
        return (
            scope, property, Filter(source: source, condition: filter.map { "\($0.condition) AND \(inner)" } ?? inner)
        )
    }
}

/// An expression that has SQL.
protocol SQLTranslatable {
    func translate(_ translator: PredicateTranslator) throws -> PredicateTranslator.Operand
}
