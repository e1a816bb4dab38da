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
        // One with other keys than texts has no form here: it is kept as it is.
        if let entries = object.entries, entries.allSatisfy({ $0.key.string != nil }) {
            var values: [String: ModelValue] = [:]
            for (key, element) in entries { values[key.string ?? ""] = try value(element, place, depth + 1) }
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
