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

/// Reads a Codable structure out of columns.
final class RowDecoder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    fileprivate let leaves: [String: SQLValue]

    private init(_ leaves: [String: SQLValue]) {
        self.leaves = leaves
    }

    static func decode(_ type: any Codable.Type, _ leaves: [String: SQLValue]) throws -> Any {
        try open(type, RowDecoder(leaves))
    }

    /// The first column that holds an enumeration's value which its type does not have; nil where none does.
    static func unknownCase(_ type: Any.Type, _ names: [String], _ stored: [SQLValue]) -> UnknownCase? {
        guard let codable = type as? any Codable.Type else { return nil }
        do {
            _ = try decode(codable, Dictionary(zip(names, stored), uniquingKeysWith: { first, _ in first }))
            return nil
        } catch {
            return error as? UnknownCase
        }
    }

    private static func open<T: Decodable>(_ type: T.Type, _ decoder: RowDecoder) throws -> Any {
        try T(from: decoder)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed<Key>(leaves: leaves))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw RowEncoder.NotAStructure() }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw RowEncoder.NotAStructure() }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let leaves: [String: SQLValue]
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { leaves.keys.compactMap { Key(stringValue: $0) } }

        func contains(_ key: Key) -> Bool { leaves[key.stringValue].map { !$0.isNull } ?? false }
        func decodeNil(forKey key: Key) throws -> Bool { leaves[key.stringValue]?.isNull ?? true }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            let stored = leaves[key.stringValue] ?? .null
            if let scalar = type as? any StoredScalar.Type {
                if let value = scalar.init(_stored: stored) as? T { return value }
            } else if case .blob(let bytes) = stored {
                return try json(type, Data(bytes), key.stringValue)
            }
            throw DecodingError.valueNotFound(
                type, .init(codingPath: [key], debugDescription: "the column of \(key.stringValue) holds no \(type)"))
        }

        private func json<T: Decodable>(_ type: T.Type, _ data: Data, _ name: String) throws -> T {
            do {
                return try JSONDecoder().decode(type, from: data)
            } catch {
                guard var unknown = UnknownCase.first(in: data, as: type) else { throw error }
                unknown.path = ".\(name)" + unknown.path
                throw unknown
            }
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
