import StoreFormat

extension String: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .string(let value) = attributeValue else { return nil }
        self = value
    }
    public static var emptyValue: String { "" }
}

extension Bool: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .bool(let value) = attributeValue else { return nil }
        self = value
    }
    public static var emptyValue: Bool { false }
    public var managedObject: Any { NSNumber(value: self) }
}

extension Int: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self = Int(value)
    }
    public static var emptyValue: Int { 0 }
}

extension Int64: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self = value
    }
    public static var emptyValue: Int64 { 0 }
}

extension Int32: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
    public static var emptyValue: Int32 { 0 }
}

extension Int16: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .integer(let value) = attributeValue else { return nil }
        self.init(exactly: value)
    }
    public static var emptyValue: Int16 { 0 }
}

extension Double: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .double(let value) = attributeValue else { return nil }
        self = value
    }
    public static var emptyValue: Double { 0 }
    public var managedObject: Any { NSNumber(value: self) }
}

extension Float: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .double(let value) = attributeValue else { return nil }
        self = Float(value)
    }
    public static var emptyValue: Float { 0 }
    public var managedObject: Any { NSNumber(value: self) }
}

extension Date: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .date(let value) = attributeValue else { return nil }
        self = value
    }
    public static var emptyValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
}

extension UUID: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .uuid(let value) = attributeValue else { return nil }
        self = value
    }
    public static var emptyValue: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
}

extension Data: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        switch attributeValue {
        case .data(let value), .transformable(let value): self = value
        default: return nil
        }
    }
    public static var emptyValue: Data { Data() }
}

extension URL: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .uri(let value) = attributeValue else { return nil }
        self.init(string: value)
    }
    public static var emptyValue: URL { URL(fileURLWithPath: "/") }
}

extension Decimal: ManagedScalar {
    public init?(attributeValue: AttributeValue) {
        guard case .decimal(let value) = attributeValue else { return nil }
        self = value
    }
    public static var emptyValue: Decimal { 0 }
}
