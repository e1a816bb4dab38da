import StoreModel

/// A model's values as objects, and back.
enum ModelValues {
    static func object(_ value: ModelValue) -> Any? {
        switch value {
        case .null: nil
        case .bool(let value): NSNumber(value: value)
        case .integer(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .string(let value): value
        case .date(let value): value
        case .data(let value): value
        case .uuid(let value): value
        case .url(let value): URL(string: value) ?? value
        case .array(let values): values.map { object($0) ?? NSNull() }
        case .dictionary(let values): values.mapValues { object($0) ?? NSNull() }
        case .archived(_, let archive): archive
        }
    }

    /// The value of an object; nil where a model has no form for it.
    static func value(_ object: Any) -> ModelValue? {
        switch object {
        case let value as ModelValue: value
        case is NSNull: .null
        case let value as Bool where !(object is NSNumber): .bool(value)
        case let value as NSDecimalNumber: .decimal(value.decimalValue)
        case let value as NSNumber: number(value)
        case let value as String: .string(value)
        case let value as Decimal: .decimal(value)
        case let value as Date: .date(value)
        case let value as UUID: .uuid(value)
        case let value as Data: .data(value)
        case let value as URL: .url(value.absoluteString)
        case let value as any BinaryInteger: Int64(exactly: value).map { .integer($0) }
        case let value as Float: .double(Double(value))
        case let value as Double: .double(value)
        case let values as [Any]: .array(values.map { value($0) ?? .null })
        case let values as [String: Any]: .dictionary(values.mapValues { value($0) ?? .null })
        case let values as any Sequence: .array(values.map { value($0) ?? .null })
        default: nil
        }
    }

    private static func number(_ number: NSNumber) -> ModelValue {
        switch String(cString: number.objCType) {
        case "c", "B":
            number.intValue == 0 || number.intValue == 1 ? .bool(number.boolValue) : .integer(number.int64Value)
        case "f", "d": .double(number.doubleValue)
        default: .integer(number.int64Value)
        }
    }

    static func userInfo(_ info: [AnyHashable: Any]?) -> [String: ModelValue] {
        var result: [String: ModelValue] = [:]
        for (key, object) in info ?? [:] {
            if let key = key.base as? String, let value = value(object) { result[key] = value }
        }
        return result
    }
}
