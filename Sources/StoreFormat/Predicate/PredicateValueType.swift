import StoreModel

/// What kind of value an expression of a predicate has: what it can be compared with.
indirect enum PredicateValueType: Equatable {
    /// No value at all: `nil`.
    case null
    /// Numbers and Booleans.
    case number
    case boolean
    /// Texts and URIs.
    case text
    case date
    case uuid
    case data
    /// Data that may lie in a file beside the store, and is in no column to compare with.
    case externalData
    /// An attribute without a type, which compares with anything.
    case undefined
    /// An object of an inheritance tree, by its root's name.
    case object(root: String)
    /// A composite, which only nil compares with; the paths of its elements.
    case composite([[String]])
    /// The objects of a to-many, or what a key path takes of each.
    case collection(PredicateValueType)

    init(_ leaf: LeafLayout) {
        switch leaf.type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal: self = .number
        case .boolean: self = .boolean
        case .string, .uri: self = .text
        case .date: self = .date
        case .uuid: self = .uuid
        case .binaryData: self = leaf.isExternal ? .externalData : .data
        case .transformable: self = .data
        case .undefined, .objectID, .composite: self = .undefined
        }
    }

    /// The type that a constant has by itself.
    init(_ value: ModelValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .integer, .double, .decimal: self = .number
        case .string, .url: self = .text
        case .date: self = .date
        case .uuid: self = .uuid
        case .data, .archived: self = .data
        case .array, .dictionary: self = .undefined
        }
    }

    var isNumeric: Bool { self == .number || self == .boolean }

    /// Whether values of the two can be compared with each other.
    func compares(with other: PredicateValueType) -> Bool {
        switch (self, other) {
        case (.null, _), (_, .null): true
        case (.undefined, let single), (let single, .undefined): single.isSingle
        case (.number, .boolean), (.boolean, .number): true
        default: self == other
        }
    }

    private var isSingle: Bool {
        switch self {
        case .collection, .composite: false
        default: true
        }
    }

    /// What to call it in messages.
    var name: String {
        switch self {
        case .null: "nil"
        case .number: "a number"
        case .boolean: "a Boolean"
        case .text: "a text"
        case .date: "a date"
        case .uuid: "a UUID"
        case .data, .externalData: "data"
        case .undefined: "a value without a type"
        case .object(let root): "an object of \(root)"
        case .composite: "a composite"
        case .collection: "a to-many"
        }
    }
}

/// An expression with its type.
struct TypedExpression {
    var node: ExpressionNode
    var type: PredicateValueType
    /// Whether it is what columns of decimals hold: a number beside it has to be one that such a column can hold.
    var isDecimal = false

    var constant: ModelValue? {
        if case .constant(let value) = node { return value }
        return nil
    }

    var isNull: Bool { type == .null }
}
