import Foundation
import KeyedArchive

/// Turns archived values into model values.
struct ModelValueUnarchiver {
    let source: String
    let budget: ReadingBudget
    private static let maximumDepth = 32

    func value(_ object: ArchivedObject, place: String) throws(ModelError) -> ModelValue {
        try value(object, place, 0)
    }

    private func value(_ object: ArchivedObject, _ place: String, _ depth: Int) throws(ModelError) -> ModelValue {
        try budget.spend()
        guard depth < Self.maximumDepth else {
            throw .malformed(source: source, reason: "a value of \(place) contains itself or is too deep")
        }
        switch object.node {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .unsigned(let value): return .decimal(Decimal(value))
        case .real(let value): return .double(value)
        case .string(let value): return .string(value)
        case .date(let value): return .date(value)
        case .data(let value): return .data(value)
        case .null: return .null
        default: break
        }
        if object.isKind(of: "NSString"), let text = object.string { return .string(text) }
        if object.isKind(of: "NSDate"), let date = object.date { return .date(date) }
        if object.isKind(of: "NSData"), let data = object.data { return .data(data) }
        if let uuid = object.uuid { return .uuid(uuid) }
        if let url = object.url { return .url(url) }
        if object.isKind(of: "NSDecimalNumber"), let decimal = object.decimal { return .decimal(decimal) }
        if object.className == "NSNull" { return .null }
        if object.isKind(of: "NSArray") || object.isKind(of: "NSSet") || object.isKind(of: "NSOrderedSet"),
            let elements = object.elements
        {
            var values: [ModelValue] = []
            for element in elements {
                guard let element else { continue }
                values.append(try value(element, place, depth + 1))
            }
            return .array(values)
        }
        if let entries = object.namedEntries {
            var values: [String: ModelValue] = [:]
            for (key, element) in entries { values[key] = try value(element, place, depth + 1) }
            return .dictionary(values)
        }
        guard let className = object.className else {
            throw .malformed(source: source, reason: "a value of \(place) is of no class")
        }
        let archive: Data
        do {
            archive = try object.extracted()
        } catch {
            throw .malformed(source: source, reason: "a value of \(place): \(error)")
        }
        // Each such value holds a copy of all that it reaches.
        try budget.spend(archive.count / 16)
        return .archived(className: className, archive: archive)
    }
}

extension ArchivedObject {
    /// The number of an `NSDecimalNumber`: mantissa words, exponent and sign.
    var decimal: Decimal? {
        guard let mantissa = node["NS.mantissa"]?.data, mantissa.count >= 2, mantissa.count <= 16,
            let exponent = node["NS.exponent"]?.integer, -128...127 ~= exponent
        else { return nil }
        // The words stand in the byte order of the machine that wrote them: 1 is little endian, 2 big (NXByteOrder).
        let isBig = node["NS.mantissa.bo"]?.integer == 2
        let bytes = [UInt8](mantissa)
        let length = Int(clamping: node["NS.length"]?.integer ?? 8)
        var value = Decimal(0)
        for word in (0..<min(bytes.count / 2, max(0, length))).reversed() {
            let (low, high) = isBig ? (bytes[2 * word + 1], bytes[2 * word]) : (bytes[2 * word], bytes[2 * word + 1])
            value = value * 65536 + Decimal(Int(high) << 8 | Int(low))
        }
        guard -128...127 ~= Int(exponent) + value.exponent, value.isFinite else { return nil }
        let isNegative = node["NS.negative"]?.bool ?? false
        return Decimal(sign: isNegative ? .minus : .plus, exponent: Int(exponent), significand: value)
    }
}

extension ModelValue {
    /// The value in the form of the attribute's type: archives hold Booleans as numbers and whole doubles as integers.
    public func coerced(to type: AttributeType) -> ModelValue {
        switch (type, self) {
        case (.boolean, .integer(let value)): .bool(value != 0)
        case (.integer16, .bool(let value)), (.integer32, .bool(let value)), (.integer64, .bool(let value)):
            .integer(value ? 1 : 0)
        case (.integer16, .double(let value)), (.integer32, .double(let value)), (.integer64, .double(let value)):
            Int64(exactly: value).map { .integer($0) } ?? self
        case (.double, .integer(let value)), (.float, .integer(let value)): .double(Double(value))
        case (.double, .bool(let value)), (.float, .bool(let value)): .double(value ? 1 : 0)
        case (.decimal, .integer(let value)): .decimal(Decimal(value))
        case (.decimal, .double(let value)): Decimal(boundedValue: value).map { .decimal($0) } ?? self
        case (.date, .double(let value)): .date(Date(timeIntervalSinceReferenceDate: value))
        case (.uri, .string(let value)): .url(value)
        default: self
        }
    }
}
