import StoreFormat

/// What one stack reads where the other reads something else.
public enum ComparedValue: Sendable, Hashable, CustomStringConvertible {
    /// The stack has no such object.
    case noObject
    /// The stack has the object, and the other has not.
    case object
    /// The stack knows no property of that name.
    case noProperty
    /// The object is of that entity.
    case entity(String)
    /// The object's version.
    case version(Int64)
    /// An attribute's value; nil where it has none.
    case value(AttributeValue?)
    /// What a relationship holds.
    case relationship(RelationshipValue)

    init(_ value: AttributeValue??) {
        self = value.map { .value($0) } ?? .noProperty
    }

    init(_ value: RelationshipValue?) {
        self = value.map { .relationship($0) } ?? .noProperty
    }

    /// For messages: short, and without what a value's case is called.
    public var description: String {
        switch self {
        case .noObject: "no object"
        case .object: "an object"
        case .noProperty: "no such property"
        case .entity(let name): name
        case .version(let number): "\(number)"
        case .value(let value): value.map(Self.text) ?? "nothing"
        case .relationship(.toOne(let object)): object.map { "\($0)" } ?? "nothing"
        case .relationship(.toMany(let objects)):
            "[" + objects.prefix(10).map { "\($0)" }.joined(separator: ", ")
                + (objects.count > 10 ? ", and \(objects.count - 10) more" : "") + "]"
        }
    }

    private static func text(_ value: AttributeValue) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .string(let value), .uri(let value): value.count > 100 ? "\"\(value.prefix(100))…\"" : "\"\(value)\""
        case .date(let value): "\(value.timeIntervalSinceReferenceDate)"
        case .uuid(let value): value.uuidString
        case .data(let value), .transformable(let value): "\(value.count) bytes"
        case .composite(let leaves):
            leaves.sorted { $0.key < $1.key }.map { "\($0.key) \(text($0.value))" }.joined(separator: ", ")
        case .missingExternalData(let name): "the missing file \(name)"
        case .unexpected(let raw): "\(raw)"
        }
    }
}

extension ObjectRecord {
    /// About how many bytes its values take up, for bounding batches.
    var approximateBytes: Int {
        func size(_ value: AttributeValue) -> Int {
            switch value {
            case .string(let text), .uri(let text): text.utf8.count
            case .data(let data), .transformable(let data): data.count
            case .composite(let leaves): leaves.values.reduce(0) { $0 + size($1) }
            default: 16
            }
        }
        var bytes = 64
        for value in values.values { bytes += 32 + (value.map(size) ?? 0) }
        for case .toMany(let objects) in relationships.values { bytes += 40 * objects.count }
        return bytes
    }
}
