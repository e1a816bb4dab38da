import SQLite
import StoreFormat
import StoreModel

/// The SQL of comparisons, for both predicate languages.
extension QueryBuilder {
    /// The SQL of a term beside another one: constants take the other one's type.
    func sql(_ term: SQLTerm, beside other: SQLTerm?) throws -> String {
        switch term.kind {
        case .constant(let value):
            if let leaf = other?.leaf { return bind(try Coercion.value(value, for: leaf)) }
            if case .object(let entity)? = other?.kind { return try key(value, of: entity) }
            if case .text? = other?.kind, let text = Coercion.text(value) { return bind(text) }
            guard let natural = Coercion.natural(value) else {
                throw StoreError(
                    .badPredicate, "\(Coercion.describe(value)) cannot be compared", way: "give a single value")
            }
            return bind(natural)
        case .objectURI(let uri):
            guard case .object(let entity)? = other?.kind else {
                throw StoreError(
                    .typeMismatch, "the object \(uri) is compared with what is no object",
                    way: "compare it with a relationship")
            }
            return try key(.string(uri), of: entity)
        case .composite(let attribute, _):
            throw StoreError(
                .badPredicate, "\(attribute.name) is a composite and can only be compared with nil",
                way: "compare its elements: \(attribute.leaves.map(\.name).joined(separator: ", "))")
        default: return term.sql
        }
    }

    /// The key of an object that is given by its identity.
    private func key(_ value: ModelValue, of entity: EntityPlan) throws -> String {
        switch value {
        case .null: return "NULL"
        case .integer(let key): return bind(.integer(key))
        case .string(let text), .url(let text):
            let reference = try ObjectReference(parsing: text, storeUUID: plan.store.uuid)
            let named = try plan.entity(reference.entity)
            guard named.root == entity.root else {
                throw StoreError(
                    .typeMismatch, "\(reference) is no \(entity.name)", way: "give an object of \(entity.name)")
            }
            return bind(.integer(reference.key))
        default:
            throw StoreError(
                .typeMismatch, "\(Coercion.describe(value)) names no \(entity.name)",
                way: "use \(entity.name)/12 or the object's URI")
        }
    }

    func isNull(_ term: SQLTerm) -> String {
        if case .composite(_, let columns) = term.kind {
            return columns.isEmpty ? "1" : "(" + columns.map { "\($0) IS NULL" }.joined(separator: " AND ") + ")"
        }
        return "\(term.sql) IS NULL"
    }

    /// `=` as Core Data's SQL has it: a row without a value is not equal to one.
    func equal(_ a: SQLTerm, _ b: SQLTerm) throws -> String {
        if b.isNullConstant { return a.isNullConstant ? "1" : isNull(a) }
        if a.isNullConstant { return isNull(b) }
        return "\(try sql(a, beside: b)) = \(try sql(b, beside: a))"
    }

    /// `<>` as Core Data's SQL has it: a row without a value differs from every value.
    func notEqual(_ a: SQLTerm, _ b: SQLTerm) throws -> String {
        if b.isNullConstant { return a.isNullConstant ? "0" : "NOT (\(isNull(a)))" }
        if a.isNullConstant { return "NOT (\(isNull(b)))" }
        let left = try sql(a, beside: b)
        let right = try sql(b, beside: a)
        return "\(left) IS NOT \(right)"
    }
}
