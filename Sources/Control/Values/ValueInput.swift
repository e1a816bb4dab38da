import Foundation
import StoreFormat
import StoreModel
import Varlink

/// Values that a client gives, read as the property that they are for.
///
/// A text is accepted for every type, so that a shell can write any value; JSON's own types where they fit.
package struct ValueInput {
    let store: Store

    /// Reads values for objects of this store.
    package init(store: Store) {
        self.store = store
    }

    /// The inputs of an object.
    /// - Throws: `StoreError` `UnknownKey` with the nearest name, or `TypeMismatch`.
    package func values(_ object: JSONObject, of entity: EntityLayout) throws -> [String: ObjectBatch.Input] {
        var values: [String: ObjectBatch.Input] = [:]
        for (key, json) in object {
            if let attribute = entity.attribute(key) {
                guard values[key] == nil else { throw givenTwice("\(entity.name).\(key)") }
                values[key] = .attribute(try self.attribute(json, attribute, "\(entity.name).\(key)"))
            } else if let relationship = entity.relationship(key) {
                values[key] = try self.relationship(json, relationship, "\(entity.name).\(key)")
            } else if let dot = key.firstIndex(of: "."), let composite = entity.attribute(String(key[..<dot])),
                composite.isComposite
            {
                let path = "\(entity.name).\(composite.name)"
                let leaf = try element(String(key[key.index(after: dot)...]), of: composite, path)
                let value = try scalar(
                    plain(json, leaf.type, "\(path).\(leaf.name)"), leaf.type, "\(path).\(leaf.name)")
                var elements: [String: AttributeValue?] = [:]
                switch values[composite.name] {
                case nil: break
                case .elements(let known)?: elements = known
                default: throw givenTwice(path)
                }
                elements.updateValue(value, forKey: leaf.name)
                values[composite.name] = .elements(elements)
            } else {
                throw unknownKey(key, entity)
            }
        }
        return values
    }

    private func element(_ name: String, of attribute: AttributeLayout, _ path: String) throws -> LeafLayout {
        if let leaf = attribute.leaves.first(where: { $0.name == name }) { return leaf }
        throw StoreError(
            .unknownKey, "\(path) has no element \(name)",
            way: "it has \(attribute.leaves.map(\.name).joined(separator: ", "))")
    }

    private func givenTwice(_ path: String) -> StoreError {
        StoreError(
            .typeMismatch, "\(path) is given whole and by its elements", way: "give the object, or one key an element")
    }

    private func unknownKey(_ key: String, _ entity: EntityLayout) -> StoreError {
        let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
        return StoreError(
            .unknownKey, "\(entity.name) has no property \(key)",
            way: NearestName.of(key, among: names).map { "did you mean \($0)?" }
                ?? "it has \(names.joined(separator: ", "))")
    }

    private func attribute(_ json: JSON, _ attribute: AttributeLayout, _ path: String) throws -> AttributeValue? {
        if json.isNull { return nil }
        let json = try plain(json, attribute.isComposite ? .composite : attribute.description.type, path)
        if attribute.description.isDerived {
            throw StoreError(.typeMismatch, "\(path) is derived: the store computes it", way: "leave it out")
        }
        if attribute.isComposite {
            guard let object = json.objectValue else { throw mismatch(path, "an object of its elements", json) }
            var leaves: [String: AttributeValue] = [:]
            for (key, value) in object {
                let leaf = try element(key, of: attribute, path)
                leaves[key] = try scalar(value, leaf.type, "\(path).\(key)")
            }
            return leaves.isEmpty ? nil : .composite(leaves)
        }
        let value = try scalar(json, attribute.description.type, path)
        if case .transformable(let data)? = value {
            try TransformableCoding.check(data, attribute.description, path: path)
        }
        return value
    }

    /// The bytes of a file, as `{"$bytes": base64}` gives them, in the form that the type is else given in: data stays data,
    /// and everything else is what the file says as text.
    private func plain(_ json: JSON, _ type: AttributeType, _ path: String) throws -> JSON {
        guard let encoded = json["$bytes"]?.stringValue else { return json }
        if type == .binaryData || type == .transformable { return .string(encoded) }
        guard let bytes = Data(exactBase64: encoded), let text = String(validating: bytes, as: UTF8.self) else {
            throw StoreError(
                .typeMismatch, "\(path) is \(type), and the file given for it is no text in UTF-8",
                way: "give a file of text")
        }
        if type == .string { return .string(text) }
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard type == .composite else { return .string(trimmed) }
        do { return try JSON(parsing: trimmed) } catch {
            throw StoreError(
                .typeMismatch, "\(path) is composite, and the file given for it is no JSON: \(error)",
                way: "give a file with an object of its elements")
        }
    }

    private func scalar(_ json: JSON, _ type: AttributeType, _ path: String) throws -> AttributeValue? {
        if json.isNull { return nil }
        let text = json.stringValue
        func need(_ value: AttributeValue?, _ what: String) throws -> AttributeValue {
            guard let value else { throw mismatch(path, what, json) }
            return value
        }
        switch type {
        case .string: return try need(text.map { .string($0) }, "a string")
        case .integer16, .integer32, .integer64:
            if let number = json.int64Value ?? text.flatMap({ Int64($0) }) { return .integer(number) }
            try refuseLarge(text ?? json.description, path)
            throw mismatch(path, "an integer", json)
        case .boolean:
            let word = text.flatMap {
                ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false][$0.lowercased()]
            }
            return try need((json.boolValue ?? word).map { .bool($0) }, "true or false")
        case .double, .float:
            let number = Self.double(json) ?? text.flatMap { Self.double($0) }
            let value = try need(number.map { .double($0) }, "a number that a double holds")
            if type == .float, let number { try requireFloat(number, json, path) }
            return value
        case .decimal: return .decimal(try decimal(json, path))
        case .date:
            let seconds = text.map { Self.double($0) } ?? Self.double(json)
            let value = text.flatMap { DateText.date($0) } ?? seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
            return try need(value.map { .date($0) }, "a date as 2026-11-30T12:00:00Z, or seconds since 2001-01-01 UTC")
        case .uuid: return try need(text.flatMap { UUID(uuidString: $0) }.map { .uuid($0) }, "a UUID")
        case .uri: return try need(text.map { .uri($0) }, "a URI")
        case .binaryData: return try need(text.flatMap { Data(exactBase64: $0) }.map { .data($0) }, "data in base64")
        case .transformable:
            let encoded = json["$transformable"]?.stringValue ?? text
            return try need(
                encoded.flatMap { Data(exactBase64: $0) }.map { .transformable($0) }, "{\"$transformable\": base64}")
        case .undefined, .objectID, .composite:
            throw StoreError(.typeMismatch, "\(path) is of a type that cannot be given here", way: "leave it out")
        }
    }

    private func relationship(_ json: JSON, _ relationship: RelationshipLayout, _ path: String) throws
        -> ObjectBatch.Input
    {
        if relationship.isToMany {
            let items: [String]
            if json.isNull {
                items = []
            } else if let text = json.stringValue {
                items = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            } else if let array = json.arrayValue {
                items = try array.map { item in
                    guard let text = item.stringValue else { throw mismatch(path, "a list of objects", json) }
                    return text
                }
            } else {
                throw mismatch(path, "a list of objects", json)
            }
            return .toMany(try items.map { .existing(try ObjectReference(parsing: $0, storeUUID: store.uuid)) })
        }
        if json.isNull || json.stringValue == "" { return .toOne(nil) }
        guard let text = json.stringValue else { throw mismatch(path, "an object such as Entity/12", json) }
        return .toOne(.existing(try ObjectReference(parsing: text, storeUUID: store.uuid)))
    }

    /// A fraction is rounded to the nearest float, as everywhere. What would become another whole number, zero or an
    /// infinity is a mistake.
    private func requireFloat(_ number: Double, _ json: JSON, _ path: String) throws {
        let float = Float(number)
        let text = json.stringValue ?? json.description
        let isInteger = text.wholeMatch(of: /[+-]?[0-9]+/) != nil
        guard number.isFinite, !float.isFinite || (float == 0 && number != 0) || (isInteger && Double(float) != number)
        else { return }
        throw StoreError(
            .typeMismatch,
            "\(path) is a Float, which keeps about 7 digits from 1e-45 to 3.4e38: \(text.prefix(80)) would become \(float)",
            way: "give a number that a Float holds, or keep it in an attribute of type Double")
    }

    /// A number; an integer only where a double holds it.
    private static func double(_ json: JSON) -> Double? {
        if let whole = json.int64Value { return Double(exactly: whole) }
        if let whole = json.uint64Value { return Double(exactly: whole) }
        return json.doubleValue
    }

    private static func infinity(_ text: String) -> Double? {
        ["Infinity": .infinity, "-Infinity": -.infinity][text]
    }

    /// The number that a text stands for; an infinity only by its name, an integer only where a double holds it.
    private static func double(_ text: String) -> Double? {
        if let infinity = infinity(text) { return infinity }
        if let whole = Int64(text) { return Double(exactly: whole) }
        if let whole = UInt64(text) { return Double(exactly: whole) }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// The decimal of a text that is one from end to end, or of a number.
    private func decimal(_ json: JSON, _ path: String) throws -> Decimal {
        let text = json.stringValue ?? (json.doubleValue == nil ? "" : json.description)
        guard text.wholeMatch(of: /[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/) != nil else {
            throw mismatch(path, "a decimal", json)
        }
        let digits = text.prefix { $0 != "e" && $0 != "E" }.filter(\.isNumber).drop { $0 == "0" }
        let end = digits.lastIndex { $0 != "0" }
        // Foundation keeps 38 digits, and rounds what has more.
        guard end.map({ digits[...$0].count }) ?? 0 <= 38,
            let value = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")), !value.isNaN,
            value != 0 || end == nil
        else {
            throw StoreError(
                .precisionLoss, "\(path): \(text.prefix(80)) is more than a decimal holds",
                way: "round it to 15 digits, or keep it in a string attribute")
        }
        return value
    }

    private func refuseLarge(_ text: String, _ path: String) throws {
        guard text.wholeMatch(of: /[+-]?[0-9]+/) != nil else { return }
        throw StoreError(
            .typeMismatch, "\(path) takes an integer, and \(text.prefix(80)) does not fit 64 bits",
            way: "give a number from \(Int64.min) to \(Int64.max)")
    }

    private func mismatch(_ path: String, _ what: String, _ json: JSON) -> StoreError {
        StoreError(
            .typeMismatch, "\(path) takes \(what), not \(json.description.prefix(80))", way: "give a value of that type"
        )
    }
}

extension Data {
    /// Base64 with its padding, and nothing that decodes to the same bytes by chance: Foundation takes "====".
    init?(exactBase64 text: String) {
        self.init(base64Encoded: text)
        guard base64EncodedString() == text else { return nil }
    }
}
