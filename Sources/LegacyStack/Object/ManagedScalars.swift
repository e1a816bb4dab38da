import StoreFormat

extension String: ManagedScalar {
    /// Takes a text value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
    /// An empty text where the row has no value.
    public static var emptyValue: String { "" }
}

extension Bool: ManagedScalar {
    /// Takes a Boolean value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .bool(let value) = attributeValue else { return nil }
        self = value
    }
    /// False where the row has no value.
    public static var emptyValue: Bool { false }
    /// The value as an `NSNumber`.
    public var managedObject: Any { NSNumber(value: self) }
}

extension Int: ManagedScalar {
    /// Takes an integer value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self = Int(value)
    }
    /// Zero where the row has no value.
    public static var emptyValue: Int { 0 }
}

extension Int64: ManagedScalar {
    /// Takes an integer value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self = value
    }
    /// Zero where the row has no value.
    public static var emptyValue: Int64 { 0 }
}

extension Int32: ManagedScalar {
    /// Takes an integer value; nil for one of another type, and for a number that does not fit.
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
    /// Zero where the row has no value.
    public static var emptyValue: Int32 { 0 }
}

extension Int16: ManagedScalar {
    /// Takes an integer value; nil for one of another type, and for a number that does not fit.
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
    /// Zero where the row has no value.
    public static var emptyValue: Int16 { 0 }
}

extension Double: ManagedScalar {
    /// Takes a floating-point value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
    /// Zero where the row has no value.
    public static var emptyValue: Double { 0 }
    /// The value as an `NSNumber`.
    public var managedObject: Any { NSNumber(value: self) }
}

extension Float: ManagedScalar {
    /// Takes a floating-point value, rounded to a float; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .double(let value) = attributeValue else { return nil }
        self = Float(value)
    }
    /// Zero where the row has no value.
    public static var emptyValue: Float { 0 }
    /// The value as an `NSNumber`.
    public var managedObject: Any { NSNumber(value: self) }
}

extension Date: ManagedScalar {
    /// Takes a date value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
    /// The reference date, 1 January 2001 in UTC, where the row has no value.
    public static var emptyValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: ManagedScalar {
    /// Takes a UUID value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
    /// The UUID of sixteen zero bytes where the row has no value.
    public static var emptyValue: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension Data: ManagedScalar {
    /// Takes a binary or transformable value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        switch attributeValue {
        case .data(let value), .transformable(let value): self = value
        default: return nil
        }
    }
    /// No bytes where the row has no value.
    public static var emptyValue: Data { Data() }
}

extension URL: ManagedScalar {
    /// Takes a URI value; nil for one of another type, and for text that is no URL.
    public init?(attributeValue: AttributeValue) {
        guard case .uri(let value) = attributeValue else { return nil }
        self.init(string: value)
    }
    /// The URL of the root folder where the row has no value.
    public static var emptyValue: URL { URL(fileURLWithPath: "/") }
}

extension Decimal: ManagedScalar {
    /// Takes a decimal value; nil for one of another type.
    public init?(attributeValue: AttributeValue) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
    /// Zero where the row has no value.
    public static var emptyValue: Decimal { 0 }
}
