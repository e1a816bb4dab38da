import CoreData
import Foundation
import SQLite
import StoreFormat

/// A record in the shape that dumps have.
enum RecordJSON {
    static func line(_ record: ObjectRecord, _ layout: EntityLayout, storeUUID: String) throws -> Data {
        let object: [String: Any] = [
            "entity": record.reference.entity, "pk": record.reference.key,
            "id": record.reference.uri(storeUUID: storeUUID), "version": record.version,
            "values": Dictionary(
                uniqueKeysWithValues: layout.attributes.map { attribute in
                    (
                        attribute.name,
                        record.values[attribute.name].flatMap { $0 }.map { value($0, attribute) } ?? NSNull()
                    )
                }),
            "relationships": record.relationships.mapValues { relationship -> Any in
                switch relationship {
                case .toOne(let target): target.map { $0.uri(storeUUID: storeUUID) } ?? NSNull()
                case .toMany(let targets): targets.map { $0.uri(storeUUID: storeUUID) }
                }
            },
        ]
        return try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    }

    /// A composite shows all its leaves.
    private static func value(_ value: AttributeValue, _ attribute: AttributeLayout) -> Any {
        guard case .composite(let leaves) = value else { return self.value(value) }
        return Dictionary(
            uniqueKeysWithValues: attribute.leaves.map { ($0.name, leaves[$0.name].map { self.value($0) } ?? NSNull()) }
        )
    }

    private static func value(_ value: AttributeValue) -> Any {
        switch value {
        case .bool(let value): value
        case .integer(let value): value
        case .double(let value): value
        case .decimal(let value): "\(value)"
        case .string(let value), .uri(let value): value
        case .date(let value): value.timeIntervalSinceReferenceDate
        case .uuid(let value): value.uuidString
        case .data(let value): value.base64EncodedString()
        case .transformable(let value): ["$transformable": value.base64EncodedString()]
        case .composite(let leaves): leaves.mapValues { self.value($0) }
        case .missingExternalData(let name): ["$external": name, "missing": true]
        case .unexpected(let raw): unexpected(raw)
        }
    }

    private static func unexpected(_ raw: SQLValue) -> Any {
        switch raw {
        case .null: NSNull()
        case .integer(let value): value
        case .real(let value): value
        case .text(let value): value
        case .blob(let value): Data(value).base64EncodedString()
        }
    }
}
