import StoreFormat
import StoreModel
import Synchronization

/// A condition on objects, in NSPredicate's format language.
///
/// ```swift
/// request.predicate = NSPredicate(format: "title BEGINSWITH[c] %@ AND pages > %d", "the", 100)
/// ```
///
/// A format that cannot be read makes a predicate whose `error` says why; fetching with it throws that error, and no
/// object fits it. Logic is two-valued: a comparison with a missing value is false, `!=` with one is true.
open class NSPredicate: NSObject, @unchecked Sendable {
    // Sendable: nothing changes after `init`, and a block is the caller's to make safe, as Foundation has it.
    let node: PredicateNode
    /// Why the format could not be read; nil for a predicate that can be used.
    public let error: StoreError?
    let block: ((Any?, [String: Any]?) -> Bool)?
    /// The plain form for objects of the entity that was met last; no node where the predicate is none for it.
    private let plain = Mutex<(entity: SchemaEntity, node: PredicateNode?)?>(nil)

    init(node: PredicateNode, error: StoreError? = nil, block: ((Any?, [String: Any]?) -> Bool)? = nil) {
        // What is too deep is not even kept: to take it apart would need as much of the stack as to walk it.
        let excess = error == nil ? node.excess : nil
        self.node = excess == nil ? node : .constant(false)
        self.error = excess.map { StoreError(.badPredicate, $0, way: "ask for less at once") } ?? error
        self.block = block
    }

    /// A predicate of an abstract tree, as the format language reads it.
    public convenience init(_ node: PredicateNode) {
        self.init(node: node, error: nil)
    }

    /// Reads a format; `%@`, `%K`, `%d` and their kin take the arguments in order.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(format: format, argumentArray: arguments.map { $0 as Any })
    }

    /// Reads a format with its arguments in an array.
    public convenience init(format: String, argumentArray: [Any]?) {
        do {
            self.init(node: try Self.parse(format, argumentArray ?? []))
        } catch {
            self.init(node: .constant(false), error: .of(error))
        }
    }

    /// A predicate that is always true or false.
    public convenience init(value: Bool) {
        self.init(node: .constant(value))
    }

    /// A predicate that calls a block; it can be evaluated in memory only.
    public convenience init(block: @escaping (Any?, [String: Any]?) -> Bool) {
        self.init(node: .constant(false), error: nil, block: block)
    }

    /// Reads a format.
    /// - Throws: `StoreError` `BadPredicate`, with the place in the format.
    public static func parse(_ format: String, _ arguments: [Any?]) throws -> PredicateNode {
        // An argument's meaning hangs on its placeholder: %K takes a key path.
        let kinds = placeholders(format)
        let converted = try arguments.enumerated().map { i, argument in
            try Self.argument(argument, isKeyPath: i < kinds.count && kinds[i] == "K")
        }
        do {
            return try PredicateNode.parse(format, arguments: converted)
        } catch {
            throw StoreError(.badPredicate, "\(error)", way: "correct the format")
        }
    }

    /// The letters of the placeholders, outside quotes.
    private static func placeholders(_ format: String) -> [Character] {
        var found: [Character] = []
        var quote: Character?
        var text = Substring(format)
        while let c = text.popFirst() {
            if c == "\\" {
                _ = text.popFirst()
            } else if let open = quote {
                if c == open { quote = nil }
            } else if c == "\"" || c == "'" {
                quote = c
            } else if c == "%" {
                while let next = text.first, "0123456789.lhqzt".contains(next) {
                    text.removeFirst()
                    _ = next
                }
                if let letter = text.popFirst(), letter != "%" { found.append(letter) }
            }
        }
        return found
    }

    /// - Throws: `StoreError` `BadPredicate` for what no predicate can compare.
    static func argument(_ object: Any?, isKeyPath: Bool) throws -> PredicateArgument {
        guard let object = flattened(object) else { return .value(.null) }
        if isKeyPath {
            guard let path = object as? String else {
                throw StoreError(.badPredicate, "%K takes a key path, not \(object)", way: "give a string")
            }
            return .keyPath(path)
        }
        switch object {
        case let object as NSManagedObject: return .objectURI(object.objectID.uriText)
        case let id as NSManagedObjectID: return .objectURI(id.uriText)
        case is String, is Data: break
        case let list as NSSet: return .list(try list.allObjects.map { try argument($0, isKeyPath: false) })
        case let list as NSArray: return .list(try list.map { try argument($0, isKeyPath: false) })
        case let list as any Sequence:
            return .list(try list.map { try argument($0 as Any, isKeyPath: false) })
        case let range as ClosedRange<Int>:
            return .list([.value(.integer(Int64(range.lowerBound))), .value(.integer(Int64(range.upperBound)))])
        default: break
        }
        guard let value = ModelValues.value(object) else {
            throw StoreError(
                .badPredicate, "\(object) is no value that a predicate can compare", way: "give another value")
        }
        return .value(value)
    }

    /// The object inside optionals; nil for none.
    private static func flattened(_ object: Any?) -> Any? {
        guard let object else { return nil }
        switch object {
        case is NSNull: return nil
        // Long lists are mostly of these.
        case is String, is Int, is Double, is NSManagedObject, is UUID, is Date: return object
        default: break
        }
        let mirror = Mirror(reflecting: object)
        guard mirror.displayStyle == .optional else { return object }
        return flattened(mirror.children.first?.value)
    }

    /// The tree to compile.
    /// - Throws: `StoreError` `BadPredicate` where there is none.
    func compilable() throws -> PredicateNode {
        if let error { throw error }
        guard block == nil else {
            throw StoreError(
                .badPredicate, "a block cannot be turned into SQL", way: "fetch, and filter the objects with the block")
        }
        return node
    }

    /// Whether the object fits, by its values in memory: as a fetch of its entity would find it. False where the fetch would
    /// throw.
    open func evaluate(with object: Any?) -> Bool {
        evaluate(with: object, substitutionVariables: nil)
    }

    /// The same, with values for `$variables`.
    open func evaluate(with object: Any?, substitutionVariables: [String: Any]?) -> Bool {
        if let block { return block(object, substitutionVariables) }
        guard error == nil, node.archivedPart == nil else { return false }
        if let object = object as? NSManagedObject {
            let evaluator = PredicateEvaluator(subject: .object(object))
            let substituted = substitutionVariables.map { withSubstitutionVariables($0) } ?? self
            return substituted.plainNode(for: object.info).map { evaluator.evaluate($0) } ?? false
        }
        var evaluator = PredicateEvaluator(subject: MemoryValue(object))
        for (name, value) in substitutionVariables ?? [:] { evaluator.variables[name] = MemoryValue(value) }
        return evaluator.evaluate(node)
    }

    /// The predicate as a fetch of that entity would have it; nil where the fetch would throw.
    private func plainNode(for entity: SchemaEntity) -> PredicateNode? {
        plain.withLock { known in
            if let known, known.entity === entity { return known.node }
            let resolved = try? PredicateResolver.resolve(self.node, entity: entity.name, in: entity.store)
            known = (entity, resolved)
            return resolved
        }
    }

    /// The predicate with values in place of `$variables`, and of key paths behind them (`$author.name`). Where there is no
    /// such value, the result's `error` says why.
    open func withSubstitutionVariables(_ variables: [String: Any]) -> NSPredicate {
        guard block == nil, error == nil else { return self }
        do {
            return NSPredicate(node: try PredicateSubstitution(values: variables).substitute(node))
        } catch {
            return NSPredicate(node: .constant(false), error: .of(error))
        }
    }

    /// The format that reads back as this predicate.
    open var predicateFormat: String { block == nil ? node.formatString : "BLOCKPREDICATE" }

    override open var description: String { predicateFormat }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate, block == nil, other.block == nil else {
            return self === object as AnyObject
        }
        return node == other.node
    }

    override open var hash: Int { node.hashValue }
}

extension StoreError {
    /// Why a predicate cannot be used.
    fileprivate static func of(_ error: any Error) -> StoreError {
        error as? StoreError ?? StoreError(.badPredicate, "\(error)", way: "correct the format")
    }
}
