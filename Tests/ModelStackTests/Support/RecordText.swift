import Foundation
import SQLite
import StoreFormat

/// Records as the JSON lines of a dump.
enum RecordText {
    static func line(_ record: ObjectRecord, _ layout: EntityLayout, storeUUID: String) -> String {
        let values = record.values.map { name, value in
            "\(quoted(name)):\(text(value, layout.attribute(name)))"
        }
        let relationships = record.relationships.map { name, value in
            switch value {
            case .toOne(let reference):
                "\(quoted(name)):\(reference.map { quoted($0.uri(storeUUID: storeUUID)) } ?? "null")"
            case .toMany(let list):
                "\(quoted(name)):[\(list.map { quoted($0.uri(storeUUID: storeUUID)) }.joined(separator: ","))]"
            }
        }
        let reference = record.reference
        return """
            {"entity":\(quoted(reference.entity)),"pk":\(reference.key),"id":\(quoted(reference.uri(storeUUID: storeUUID))),\
            "version":\(record.version),"values":{\(values.joined(separator: ","))},\
            "relationships":{\(relationships.joined(separator: ","))}}
            """
    }

    /// A composite shows all of its elements.
    private static func text(_ value: AttributeValue?, _ attribute: AttributeLayout?) -> String {
        guard let value else { return "null" }
        guard case .composite(let elements) = value, let attribute else { return self.value(value) }
        let parts = attribute.leaves.map { "\(quoted($0.name)):\(elements[$0.name].map { self.value($0) } ?? "null")" }
        return "{" + parts.joined(separator: ",") + "}"
    }

    private static func value(_ value: AttributeValue) -> String {
        switch value {
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .double(let value): number(value)
        case .decimal(let value): quoted(NSDecimalNumber(decimal: value).stringValue)
        case .string(let value), .uri(let value): quoted(value)
        case .date(let value): number(value.timeIntervalSinceReferenceDate)
        case .uuid(let value): quoted(value.uuidString)
        case .data(let value): quoted(value.base64EncodedString())
        case .transformable(let value): "{\"$transformable\":\(quoted(value.base64EncodedString()))}"
        case .composite(let elements):
            "{" + elements.map { "\(quoted($0.key)):\(self.value($0.value))" }.joined(separator: ",") + "}"
        case .missingExternalData(let name): "{\"$external\":\(quoted(name)),\"missing\":true}"
        case .unexpected(let raw): self.raw(raw)
        }
    }

    private static func raw(_ value: SQLValue) -> String {
        switch value {
        case .null: "null"
        case .integer(let value): "\(value)"
        case .real(let value): number(value)
        case .text(let value): quoted(value)
        case .blob(let bytes): quoted(Data(bytes).base64EncodedString())
        }
    }

    private static func number(_ value: Double) -> String { value.isFinite ? "\(value)" : "null" }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
