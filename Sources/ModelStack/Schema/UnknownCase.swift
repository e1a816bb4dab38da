import Foundation

/// An enumeration's value, somewhere in a Codable value, that its type does not have: what a later version of the program
/// wrote.
struct UnknownCase: Error {
    /// Where it is inside of the value: `.size`, `[2]`, empty for the value itself.
    var path: String
    var type: String
    /// What stands there instead: the text, or the JSON of what is none.
    var value: String

    /// The first in a JSON that cannot be read as the type; nil where it cannot be read for another reason.
    static func first(in json: Data, as type: any Decodable.Type) -> UnknownCase? {
        guard let whole = try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) else { return nil }
        do {
            try trace(type, json)
            return nil
        } catch let miss as Miss {
            let path = miss.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
            return UnknownCase(path: path, type: miss.type, value: shown(miss.codingPath, in: whole))
        } catch {
            return nil
        }
    }

    private static func trace<T: Decodable>(_ type: T.Type, _ json: Data) throws {
        _ = try JSONDecoder().decode(Traced<T>.self, from: json)
    }

    private static func shown(_ path: [any CodingKey], in whole: Any) -> String {
        var value: Any? = whole
        for key in path {
            switch value {
            case let list as [Any]: value = key.intValue.flatMap { list.indices.contains($0) ? list[$0] : nil }
            case let object as [String: Any]: value = object[key.stringValue]
            default: value = nil
            }
        }
        guard let value else { return "null" }
        if let text = value as? String { return text }
        let json = try? JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
        return json.map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
    }

    /// Whether values of the type are an enumeration's cases.
    fileprivate static func isEnumeration(_ type: Any.Type) -> Bool {
        guard !(type is any StoredScalar.Type), !(type is any AnyOptionalType.Type) else { return false }
        return type is any RawRepresentable.Type || EnumCases(type) != nil
    }
}

/// An enumeration that did not take what stands at the path.
private struct Miss: Error {
    var codingPath: [any CodingKey]
    var type: String
}

/// A value that is read as its type reads itself, with an eye on the enumerations that are met on the way.
private struct Traced<Value: Decodable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Self.read(
            decoder.codingPath, { try Value(from: decoder) }, { try Value(from: Tracer(base: decoder)) })
    }

    /// - Parameters:
    ///   - plain: reads the value as it is.
    ///   - traced: reads it with an eye on its parts.
    static func read(_ path: [any CodingKey], _ plain: () throws -> Value, _ traced: () throws -> Value) throws -> Value
    {
        if UnknownCase.isEnumeration(Value.self) {
            do { return try plain() } catch { throw Miss(codingPath: path, type: "\(Value.self)") }
        }
        return Value.self is any StoredScalar.Type ? try plain() : try traced()
    }
}

private struct Tracer: Decoder {
    let base: any Decoder
    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(TracingKeys(base: try base.container(keyedBy: type)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingList(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        TracingValue(base: try base.singleValueContainer())
    }
}

private struct TracingKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let base: KeyedDecodingContainer<Key>
    var codingPath: [any CodingKey] { base.codingPath }
    var allKeys: [Key] { base.allKeys }

    func contains(_ key: Key) -> Bool { base.contains(key) }
    func decodeNil(forKey key: Key) throws -> Bool { try base.decodeNil(forKey: key) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try Traced<T>.read(
            codingPath + [key], { try base.decode(type, forKey: key) },
            { try base.decode(Traced<T>.self, forKey: key).value })
    }

    func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) throws -> KeyedDecodingContainer<N> {
        KeyedDecodingContainer(TracingKeys<N>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        TracingList(base: try base.nestedUnkeyedContainer(forKey: key))
    }

    func superDecoder() throws -> any Decoder { Tracer(base: try base.superDecoder()) }
    func superDecoder(forKey key: Key) throws -> any Decoder { Tracer(base: try base.superDecoder(forKey: key)) }
}

private struct TracingList: UnkeyedDecodingContainer {
    var base: any UnkeyedDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }
    var count: Int? { base.count }
    var isAtEnd: Bool { base.isAtEnd }
    var currentIndex: Int { base.currentIndex }

    private struct Place: CodingKey {
        let intValue: Int?
        var stringValue: String { "\(intValue ?? 0)" }
        init(intValue: Int) { self.intValue = intValue }
        init?(stringValue: String) { return nil }
    }

    mutating func decodeNil() throws -> Bool { try base.decodeNil() }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let place = codingPath + [Place(intValue: currentIndex)]
        return try Traced<T>.read(
            place, { try base.decode(type) }, { try base.decode(Traced<T>.self).value })
    }

    mutating func nestedContainer<N: CodingKey>(keyedBy type: N.Type) throws -> KeyedDecodingContainer<N> {
        KeyedDecodingContainer(TracingKeys<N>(base: try base.nestedContainer(keyedBy: type)))
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        TracingList(base: try base.nestedUnkeyedContainer())
    }

    mutating func superDecoder() throws -> any Decoder { Tracer(base: try base.superDecoder()) }
}

private struct TracingValue: SingleValueDecodingContainer {
    let base: any SingleValueDecodingContainer
    var codingPath: [any CodingKey] { base.codingPath }

    func decodeNil() -> Bool { base.decodeNil() }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try Traced<T>.read(codingPath, { try base.decode(type) }, { try base.decode(Traced<T>.self).value })
    }
}
