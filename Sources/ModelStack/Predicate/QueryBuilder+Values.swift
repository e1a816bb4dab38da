import SQLite
import StoreFormat
import StoreModel

/// The SQL of single values and of lists of them, for both predicate languages.
extension QueryBuilder {
    /// The SQL of a term beside another one.
    func sql(_ term: SQLTerm, beside other: SQLTerm?) throws -> String {
        switch term.kind {
        case .constant(let value): return bind(PredicateConstant.natural(value))
        case .objectURI(let uri): return bind(.integer(key(uri)))
        case .composite(let attribute, _):
            throw StoreError(
                .badPredicate, "\(attribute.name) is a composite and can only be compared with nil",
                way: "compare its elements: \(attribute.leaves.map(\.name).joined(separator: ", "))")
        default: return term.sql
        }
    }

    /// The key of an object that is given by its URI; one that no row has, where it was never saved.
    func key(_ uri: String) -> Int64 {
        (try? ObjectReference(parsing: uri, storeUUID: plan.store.uuid))?.key ?? -1
    }

    /// The values behind IN: each a parameter, or all of them one.
    func list(_ values: [SQLValue]) -> String {
        guard values.count < ValueList.minimumCount else {
            let list = ValueList(values)
            return list.sql(bind(list.parameter))
        }
        return "(\(values.map { bind($0) }.joined(separator: ", ")))"
    }

    func isNull(_ term: SQLTerm) -> String {
        switch term.kind {
        case .constant(let value): return value == .null ? "1" : "0"
        case .objectURI: return "0"
        default: break
        }
        if case .composite(_, let columns) = term.kind {
            return columns.isEmpty ? "1" : "(" + columns.map { "\($0) IS NULL" }.joined(separator: " AND ") + ")"
        }
        return "\(term.sql) IS NULL"
    }
}
