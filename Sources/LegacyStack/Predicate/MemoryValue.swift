import SQLite
import StoreFormat
import StoreModel

/// A value that a predicate meets in memory; attributes as they stand in columns, so that both ways of evaluating agree.
indirect enum MemoryValue {
    case scalar(SQLValue, leaf: LeafLayout?)
    case constant(ModelValue)
    case object(NSManagedObject)
    /// An object by its URI.
    case identity(String)
    case list([MemoryValue])
    case dictionary([String: Any])

    static var null: MemoryValue { .scalar(.null, leaf: nil) }

    init(_ object: Any?) {
        switch object {
        case nil: self = .null
        case let value as MemoryValue: self = value
        case let object as NSManagedObject: self = .object(object)
        case let transaction as NSPersistentHistoryTransaction: self = .dictionary(transaction.predicateValues)
        case let change as NSPersistentHistoryChange: self = .dictionary(change.predicateValues)
        case let id as NSManagedObjectID: self = .identity(id.uriText)
        case let text as String: self = .scalar(.text(text), leaf: nil)
        case let values as [String: Any]: self = .dictionary(values)
        case let values as [Any]: self = .list(values.map { MemoryValue($0) })
        case let object?: self = ModelValues.value(object).map { .constant($0) } ?? .null
        }
    }

    var isNull: Bool {
        switch self {
        case .scalar(.null, _), .constant(.null): true
        default: false
        }
    }

    /// The elements of a list; a single value is its own.
    var elements: [MemoryValue] {
        if case .list(let elements) = self { return elements }
        if case .constant(.array(let values)) = self { return values.map { .constant($0) } }
        return isNull ? [] : [self]
    }

    /// The value in a column's form, where it meets a column of that leaf.
    func column(like leaf: LeafLayout?) -> SQLValue? {
        switch self {
        case .scalar(let value, _): value
        case .constant(let value):
            leaf == nil
                ? PredicateConstant.natural(value) : leaf.flatMap { PredicateConstant.value(value, as: $0) }
        default: nil
        }
    }

    var leaf: LeafLayout? {
        if case .scalar(_, let leaf) = self { return leaf }
        return nil
    }
}

extension MemoryValue: PredicateOperand {
    var text: String? {
        if case .text(let text)? = column(like: nil) { return text }
        return nil
    }

    var whole: String? {
        switch self {
        case .scalar(.text(let text), _), .constant(.string(let text)): text
        default: nil
        }
    }

    func isEqual(to other: MemoryValue, _ options: TextMatch.Options) -> Bool {
        if isNull || other.isNull { return isNull && other.isNull }
        switch (self, other) {
        case (.object(let x), .object(let y)): return x === y || x.objectID == y.objectID
        case (.object(let object), .identity(let uri)), (.identity(let uri), .object(let object)):
            return object.isNamed(by: uri)
        case (.identity(let x), .identity(let y)): return x == y
        default: return order(to: other, options) == .orderedSame
        }
    }

    func order(to other: MemoryValue, _ options: TextMatch.Options) -> ComparisonResult? {
        guard let x = column(like: other.leaf), let y = other.column(like: leaf), !x.isNull, !y.isNull else {
            return nil
        }
        return SQLValue.compare(x.folded(options), y.folded(options))
    }
}

extension NSManagedObject {
    /// Whether a URI is that of the object: its tree has one space of keys, so any entity of the tree may be named.
    func isNamed(by uri: String) -> Bool {
        if objectID.uriText == uri { return true }
        guard let reference = try? ObjectReference(parsing: uri, storeUUID: info.storeUUID) else { return false }
        return reference.key == id.key && info.store.layout[reference.entity]?.rootName == info.layout.rootName
    }
}
