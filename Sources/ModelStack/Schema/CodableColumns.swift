import Foundation
import SQLite
import StoreModel

/// Writes a Codable structure's stored properties as columns: scalars as themselves, everything else as JSON.
final class RowEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate var leaves: [String: SQLValue] = [:]

    struct NotAStructure: Error {}

    static func encode(_ value: any Encodable) throws -> [String: SQLValue] {
        let encoder = RowEncoder()
        try value.encode(to: encoder)
        return encoder.leaves
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(Keyed<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { Refusal() }
    func singleValueContainer() -> any SingleValueEncodingContainer { Refusal() }

    private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let encoder: RowEncoder
        var codingPath: [any CodingKey] { [] }

        func encodeNil(forKey key: Key) { encoder.leaves[key.stringValue] = .null }

        func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
            if let scalar = value as? any StoredScalar {
                encoder.leaves[key.stringValue] = scalar._stored
            } else {
                encoder.leaves[key.stringValue] = .blob([UInt8](try JSONEncoder().encode(value)))
            }
        }

        func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) -> KeyedEncodingContainer<N> {
            KeyedEncodingContainer(Keyed<N>(encoder: RowEncoder()))
        }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Refusal() }
        func superEncoder() -> any Encoder { RowEncoder() }
        func superEncoder(forKey key: Key) -> any Encoder { RowEncoder() }
    }

    /// What does not encode itself by keys has no columns.
    private struct Refusal: UnkeyedEncodingContainer, SingleValueEncodingContainer {
        var codingPath: [any CodingKey] { [] }
        var count: Int { 0 }
        func encodeNil() throws { throw NotAStructure() }
        func encode<T: Encodable>(_ value: T) throws { throw NotAStructure() }
        func nestedContainer<N: CodingKey>(keyedBy keyType: N.Type) -> KeyedEncodingContainer<N> {
            KeyedEncodingContainer(Keyed<N>(encoder: RowEncoder()))
        }
        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Refusal() }
        func superEncoder() -> any Encoder { RowEncoder() }
    }
}

/// Reads a Codable structure out of columns; without columns, finds out what it would read.
final class RowDecoder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate let leaves: [String: SQLValue]?
    fileprivate var found: [(name: String, type: AttributeType)] = []

    fileprivate init(_ leaves: [String: SQLValue]?) {
        self.leaves = leaves
    }

    static func decode<T: Decodable>(_ type: T.Type, _ leaves: [String: SQLValue]) throws -> T {
        try T(from: RowDecoder(leaves))
    }

    static func decode(_ type: any Codable.Type, _ leaves: [String: SQLValue]) throws -> Any {
        try open(type, RowDecoder(leaves))
    }

    fileprivate static func open<T: Decodable>(_ type: T.Type, _ decoder: RowDecoder) throws -> Any {
        try T(from: decoder)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw RowEncoder.NotAStructure() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw RowEncoder.NotAStructure() }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: RowDecoder
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { (decoder.leaves ?? [:]).keys.compactMap { Key(stringValue: $0) } }

        private func note(_ type: AttributeType, _ key: Key) {
            let name = key.stringValue
            if !decoder.found.contains(where: { $0.name == name }) { decoder.found.append((name, type)) }
        }

        func contains(_ key: Key) -> Bool {
            decoder.leaves == nil || decoder.leaves?[key.stringValue].map { !$0.isNull } ?? false
        }

        func decodeNil(forKey key: Key) throws -> Bool {
            guard let leaves = decoder.leaves else { return false }
            return leaves[key.stringValue]?.isNull ?? true
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            if let scalar = type as? any StoredScalar.Type {
                note(scalar._attributeType, key)
                let value: Any? =
                    decoder.leaves.map { scalar.init(_stored: $0[key.stringValue] ?? .null) } ?? scalar._absent
                if let value = value as? T { return value }
            } else {
                note(.binaryData, key)
                guard let leaves = decoder.leaves else { return try LeafProbe.value(of: type) }
                if case .blob(let bytes) = leaves[key.stringValue] ?? .null {
                    return try JSONDecoder().decode(type, from: Data(bytes))
                }
            }
            throw DecodingError.valueNotFound(
                type, .init(codingPath: [key], debugDescription: "the column holds no \(type)"))
        }

        func nestedContainer<N: CodingKey>(keyedBy type: N.Type, forKey key: Key) throws -> KeyedDecodingContainer<N> {
            throw RowEncoder.NotAStructure()
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw RowEncoder.NotAStructure()
        }

        func superDecoder() throws -> any Decoder { throw RowEncoder.NotAStructure() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw RowEncoder.NotAStructure() }
    }
}

/// Finds out how a Codable type is made up, by letting it decode itself from nothing.
enum LeafProbe {
    /// The stored properties of a structure, in declared order.
    static func leaves(of type: any Codable.Type) throws -> [(name: String, type: AttributeType)] {
        let decoder = RowDecoder(nil)
        _ = try RowDecoder.open(type, decoder)
        return decoder.found
    }

    /// Some value of the type.
    static func value<T: Decodable>(of type: T.Type) throws -> T {
        if let scalar = type as? any StoredScalar.Type, let value = scalar._absent as? T { return value }
        if type is any AnyOptionalType.Type, let none = Optional<Never>.none as? T { return none }
        if let cases = type as? any CaseIterable.Type, let first = firstCase(cases) as? T { return first }
        for json in ["[]", "{}", "\"\"", "0", "false"] {
            if let value = try? JSONDecoder().decode(type, from: Data(json.utf8)) { return value }
        }
        return try T(from: RowDecoder(nil))
    }

    private static func firstCase<C: CaseIterable>(_ type: C.Type) -> Any? { C.allCases.first }
}
