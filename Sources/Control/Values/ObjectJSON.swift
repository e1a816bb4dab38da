import Foundation
import SQLite
import StoreFormat
import Varlink

/// Objects as JSON: what `fetch`, `get` and `dump` print.
public struct ObjectJSON: Sendable {
    /// How values are spelled.
    public enum Style: Sendable {
        /// For people and clients: dates in ISO 8601.
        case control
        /// For comparing byte by byte with an independent reader: dates as the stored number.
        case dump
    }

    private let storeUUID: String
    private let layout: StoreLayout
    private let style: Style

    /// Makes a writer for objects of this store.
    public init(store: Store, style: Style) {
        storeUUID = store.uuid
        layout = store.layout
        self.style = style
    }

    /// Returns entity, key, URI, version, values and relationships of an object, names sorted by their bytes.
    public func object(_ record: ObjectRecord) -> JSON {
        let values = record.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let entity = layout[record.reference.entity]
        let relationships = record.relationships.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(
            JSONObject([
                ("entity", .string(record.reference.entity)),
                ("pk", .integer(record.reference.key)),
                ("id", .string(record.reference.uri(storeUUID: storeUUID))),
                ("version", .integer(record.version)),
                (
                    "values",
                    .object(JSONObject(values.map { ($0.key, value($0.value, of: entity?.attribute($0.key))) }))
                ),
                ("relationships", .object(JSONObject(relationships.map { ($0.key, relationship($0.value)) }))),
            ]))
    }

    /// What a relationship holds: an object's URI or null, or an array of URIs.
    public func relationship(_ value: RelationshipValue) -> JSON {
        switch value {
        case .toOne(let reference): reference.map { .string($0.uri(storeUUID: storeUUID)) } ?? .null
        case .toMany(let references): .array(references.map { .string($0.uri(storeUUID: storeUUID)) })
        }
    }

    /// A composite shows all its elements, those without a value too.
    private func value(_ value: AttributeValue?, of attribute: AttributeLayout?) -> JSON {
        guard case .composite(let leaves)? = value, let attribute else { return self.value(value) }
        return .object(JSONObject(attribute.leaves.map { ($0.name, self.value(leaves[$0.name])) }))
    }

    /// A value in JSON (the interface's "Values in JSON").
    public func value(_ value: AttributeValue?) -> JSON {
        guard let value else { return .null }
        switch value {
        case .bool(let value): return .bool(value)
        case .integer(let value): return .integer(value)
        case .double(let value): return number(value)
        case .decimal(let value): return .string("\(value)")
        case .string(let value), .uri(let value): return .string(value)
        case .date(let value): return date(value)
        case .uuid(let value): return .string(value.uuidString)
        case .data(let value): return .string(value.base64EncodedString())
        case .transformable(let value): return .object(["$transformable": .string(value.base64EncodedString())])
        case .composite(let leaves):
            let sorted = leaves.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return .object(JSONObject(sorted.map { ($0.key, self.value($0.value)) }))
        case .missingExternalData(let name): return .object(["$external": .string(name), "missing": true])
        case .unexpected(let raw): return self.raw(raw)
        }
    }

    private func date(_ date: Date) -> JSON {
        if style == .control, let text = DateText.text(date) { return .string(text) }
        return number(date.timeIntervalSinceReferenceDate)
    }

    /// JSON has no infinity, and null would say that there is no value.
    private func number(_ value: Double) -> JSON {
        value.isFinite ? .double(value) : .string(value > 0 ? "Infinity" : "-Infinity")
    }

    /// Bytes where the attribute holds none: as a bare text they would look like one that is there. A dump is compared with
    /// the independent reader's, which shows them so.
    private func bytes(_ base64: String) -> JSON {
        style == .dump ? .string(base64) : .object(["$data": .string(base64)])
    }

    private func raw(_ value: SQLValue) -> JSON {
        switch value {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): number(value)
        case .text(let value): .string(value)
        case .blob(let value): bytes(Data(value).base64EncodedString())
        }
    }
}
