import Foundation
import SQLite
import StoreModel

/// Finds out how a Codable type is made up, by letting it decode itself from nothing.
enum TypeProbe {
    struct TooDeep: Error {}

    /// The stored properties of a structure, in declared order.
    static func leaves(of type: any Codable.Type) throws -> [(name: String, type: AttributeType)] {
        let decoder = ProbeDecoder(depth: 0)
        _ = try open(type, decoder)
        return decoder.found
    }

    private static func open<T: Decodable>(_ type: T.Type, _ decoder: ProbeDecoder) throws -> Any {
        try T(from: decoder)
    }

    /// Some value of the type.
    static func value<T: Decodable>(of type: T.Type, depth: Int = 0) throws -> T {
        guard depth < 16 else { throw TooDeep() }
        if let scalar = type as? any StoredScalar.Type, let value = scalar._absent as? T { return value }
        if type is any AnyOptionalType.Type, let none = Optional<Never>.none as? T { return none }
        if let raw = type as? any RawRepresentable.Type, let some = someValue(raw) as? T { return some }
        if let cases = EnumCases(type) {
            for name in cases.plain + cases.withPayload {
                if let value = cases.value(type, of: name) { return value }
                if let value = try? T(from: ProbeDecoder(depth: depth, enumCase: name)) { return value }
            }
        }
        for json in ["[]", "{}", "\"\"", "0", "false"] {
            if let value = try? JSONDecoder().decode(type, from: Data(json.utf8)) { return value }
        }
        return try T(from: ProbeDecoder(depth: depth))
    }

    /// The type's value for an empty raw value, as option sets have one.
    private static func someValue<R: RawRepresentable>(_ type: R.Type) -> Any? {
        guard let scalar = R.RawValue.self as? any StoredScalar.Type, let absent = scalar._absent as? R.RawValue else {
            return nil
        }
        return R(rawValue: absent)
    }
}

/// Gives a type some value for whatever it asks, and notes what a structure asked for.
private final class ProbeDecoder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate let depth: Int
    /// The case that an enumeration is to be of: the one key that its container shows.
    fileprivate let enumCase: String?
    fileprivate var found: [(name: String, type: AttributeType)] = []

    init(depth: Int, enumCase: String? = nil) {
        self.depth = depth
        self.enumCase = enumCase
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    // A structure that does not decode itself by keys has no columns; inside of one, any value will do.
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard depth > 0 else { throw RowEncoder.NotAStructure() }
        return Single(depth: depth)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        guard depth > 0 else { throw RowEncoder.NotAStructure() }
        return Single(depth: depth)
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: ProbeDecoder
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { decoder.enumCase.flatMap { Key(stringValue: $0) }.map { [$0] } ?? [] }

        func contains(_ key: Key) -> Bool { true }
        // What is optional inside of another value can be left out, and a type that contains itself ends there.
        func decodeNil(forKey key: Key) throws -> Bool { decoder.depth > 0 }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            let scalar = type as? any StoredScalar.Type
            let name = key.stringValue
            if !decoder.found.contains(where: { $0.name == name }) {
                decoder.found.append((name, scalar?._attributeType ?? .binaryData))
            }
            return try TypeProbe.value(of: type, depth: decoder.depth + 1)
        }

        func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) throws -> KeyedDecodingContainer<N> {
            KeyedDecodingContainer(Keyed<N>(decoder: ProbeDecoder(depth: decoder.depth + 1)))
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            Single(depth: decoder.depth + 1)
        }

        func superDecoder() throws -> any Decoder { ProbeDecoder(depth: decoder.depth + 1) }
        func superDecoder(forKey key: Key) throws -> any Decoder { ProbeDecoder(depth: decoder.depth + 1) }
    }

    private struct Single: SingleValueDecodingContainer, UnkeyedDecodingContainer {
        let depth: Int
        var codingPath: [any CodingKey] { [] }
        var count: Int? { 0 }
        var isAtEnd: Bool { true }
        var currentIndex: Int { 0 }

        func decodeNil() -> Bool { true }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try TypeProbe.value(of: type, depth: depth + 1) }
        func nestedContainer<N: CodingKey>(keyedBy type: N.Type) throws -> KeyedDecodingContainer<N> {
            KeyedDecodingContainer(Keyed<N>(decoder: ProbeDecoder(depth: depth + 1)))
        }
        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { Single(depth: depth + 1) }
        func superDecoder() throws -> any Decoder { ProbeDecoder(depth: depth + 1) }
    }
}
