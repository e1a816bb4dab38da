import Foundation

/// The collections that SwiftData keeps as JSON in an archive: `Array<…>`, `Set<…>`, `Dictionary<…>` as the model names
/// their class (Format, section 10). They are read and written without the program's types.
enum SwiftCollection {
    /// Whether an attribute of that class is stored as JSON.
    static func isOne(_ className: String) -> Bool { className.hasSuffix(">") && shape(className) != nil }

    /// Whether an attribute of that class may hold the JSON of a program whose classes say otherwise: Foundation's
    /// collections, and Swift's as a model's editor has them.
    static func isKin(_ className: String) -> Bool { shape(className) != nil }

    private enum Kind { case array, set, dictionary }

    private static func shape(_ name: String) -> (kind: Kind, element: String)? {
        switch name {
        case "NSArray", "NSMutableArray": return (.array, "")
        case "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet": return (.set, "")
        case "NSDictionary", "NSMutableDictionary": return (.dictionary, "")
        default: break
        }
        for (prefix, suffix, kind) in [
            ("Array<", ">", Kind.array), ("Set<", ">", .set), ("Dictionary<", ">", .dictionary),
        ]
        where name.hasPrefix(prefix) && name.hasSuffix(suffix) {
            return shape(name.dropFirst(prefix.count).dropLast(), kind, separator: ",")
        }
        guard name.hasPrefix("["), name.hasSuffix("]") else { return nil }
        let inner = name.dropFirst().dropLast()
        return shape(inner, inner.contains(":") ? .dictionary : .array, separator: ":")
    }

    private static func shape(_ inner: Substring, _ kind: Kind, separator: Character) -> (kind: Kind, element: String) {
        guard kind == .dictionary else { return (kind, String(inner)) }
        let parts = inner.split(separator: separator, maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
        return (kind, parts.count == 2 && parts[0] == "String" ? String(parts[1]) : "")
    }

    /// Element types that have their own form in JSON.
    private static let elements: [String: any (Codable & Sendable).Type] = [
        "String": String.self, "Int": Int.self, "Int16": Int16.self, "Int32": Int32.self, "Int64": Int64.self,
        "Double": Double.self, "Float": Float.self, "Bool": Bool.self, "UUID": UUID.self, "Date": Date.self,
        "Data": Data.self, "URL": URL.self, "Decimal": Decimal.self,
    ]

    /// The collection in JSON: an array, `NSSet` or dictionary, of the element's type where it is one of Foundation's.
    static func object(_ json: Data, _ className: String) throws -> Any {
        guard let (kind, element) = shape(className) else { return json }
        guard let type = elements[element] else {
            let object = try JSONSerialization.jsonObject(with: json)
            return kind == .set ? (object as? [Any]).map { NSSet(array: $0) } ?? object : object
        }
        switch kind {
        case .array: return try array(json, type)
        case .set: return NSSet(array: try array(json, type) as? [Any] ?? [])
        case .dictionary: return try dictionary(json, type)
        }
    }

    /// The JSON of a collection.
    static func json(_ object: Any, _ className: String) throws -> Data {
        var object = object
        if let set = object as? NSOrderedSet {
            object = set.array
        } else if let set = object as? NSSet {
            object = set.allObjects
        }
        guard let (_, element) = shape(className), let type = elements[element] else {
            guard JSONSerialization.isValidJSONObject(object) else {
                throw SecureArchive.Problem(description: "has no JSON")
            }
            return try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
        }
        if let list = object as? [Any] { return try encode(list, type) }
        guard let entries = object as? [String: Any] else {
            throw SecureArchive.Problem(description: "is no \(className)")
        }
        return try encode(entries, type)
    }

    private static func array<T: Codable>(_ json: Data, _ type: T.Type) throws -> Any {
        try JSONDecoder().decode([T].self, from: json)
    }

    private static func dictionary<T: Codable>(_ json: Data, _ type: T.Type) throws -> Any {
        try JSONDecoder().decode([String: T].self, from: json)
    }

    private static func encode<T: Codable>(_ list: [Any], _ type: T.Type) throws -> Data {
        try JSONEncoder().encode(list.map { try element($0, type) })
    }

    private static func encode<T: Codable>(_ entries: [String: Any], _ type: T.Type) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(entries.mapValues { try element($0, type) })
    }

    private static func element<T>(_ value: Any, _ type: T.Type) throws -> T {
        if let value = value as? T { return value }
        throw SecureArchive.Problem(description: "holds a \(Swift.type(of: value)), not a \(type)")
    }
}
