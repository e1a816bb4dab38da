import Foundation
import SQLite
import StoreFormat
import StoreModel

extension ValueShape {
    /// The columns' values. What cannot be encoded gives NULL, which a mandatory attribute's validation names, or the
    /// reason as text in a column that never holds text, which refuses the save.
    func encode<T>(_ value: T, count: Int) -> [SQLValue] {
        let none = [SQLValue](repeating: .null, count: count)
        var unwrapped: Any = value
        if let optional = value as? any AnyOptionalType {
            guard let inner = optional.wrappedValue else { return none }
            unwrapped = inner
        }
        switch self {
        case .scalar: return [(unwrapped as? any StoredScalar)?._stored ?? .null]
        case .rawValue:
            guard let raw = unwrapped as? any RawRepresentable, let scalar = Self.raw(raw) as? any StoredScalar else {
                return none
            }
            return [scalar._stored]
        case .cases(let cases): return Self.encode(unwrapped, cases) ?? none
        case .composite(let names):
            guard let codable = unwrapped as? any Codable, let leaves = try? RowEncoder.encode(codable) else {
                return none
            }
            return names.map { leaves[$0] ?? .null }
        case .archive:
            guard let codable = unwrapped as? any Codable, let json = try? JSONEncoder().encode(codable),
                let archive = try? ArchivedJSON.archive(json)
            else { return none }
            return [.blob([UInt8](archive))]
        case .transformable(let attribute):
            do {
                return [.blob([UInt8](try TransformableCoding.data(unwrapped, attribute, path: attribute.name)))]
            } catch {
                return [.text("\(error)")]
            }
        }
    }

    private static func raw<R: RawRepresentable>(_ value: R) -> Any { value.rawValue }

    private static func encode(_ value: Any, _ cases: EnumCases) -> [SQLValue]? {
        func open<V>(_ value: V) -> (String, SQLValue)? {
            if let name = cases.name(of: value) { return (name, .text(name)) }
            // The coding that the compiler makes: an object with one key, the case, for the associated values.
            guard let codable = value as? any Codable, let json = try? JSONEncoder().encode(codable),
                let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any], object.count == 1,
                let (name, payload) = object.first
            else { return nil }
            if cases.plain.contains(name) { return (name, .text(name)) }
            guard JSONSerialization.isValidJSONObject(payload),
                let data = try? JSONSerialization.data(withJSONObject: payload, options: [.sortedKeys])
            else { return nil }
            return (name, .blob([UInt8](data)))
        }
        guard let (name, stored) = _openExistential(value, do: open) else { return nil }
        return cases.names.map { $0 == name ? stored : .null }
    }

    /// The value; nil where the columns hold none of the type. An optional without columns' values is nil inside.
    func decode<T>(_ stored: [SQLValue], as type: T.Type) -> T? {
        let (inner, isOptional) = ShapeProperty.unwrapped(type)
        if isOptional, stored.allSatisfy(\.isNull), let none = Optional<Never>.none as? T { return none }
        return value(stored, inner) as? T
    }

    /// The value of a type that is not optional.
    func value(_ stored: [SQLValue], _ inner: Any.Type) -> Any? {
        switch self {
        case .scalar:
            guard let scalar = inner as? any StoredScalar.Type else { return nil }
            return Self.scalar(scalar, stored.first ?? .null)
        case .rawValue:
            guard let raw = inner as? any RawRepresentable.Type else { return nil }
            return Self.make(raw, stored.first ?? .null)
        case .cases(let cases): return Self.decode(stored, cases, inner)
        case .composite(let names):
            guard let codable = inner as? any Codable.Type else { return nil }
            let leaves = Dictionary(zip(names, stored), uniquingKeysWith: { first, _ in first })
            return try? RowDecoder.decode(codable, leaves)
        case .archive:
            guard case .blob(let bytes) = stored.first ?? .null, let codable = inner as? any Codable.Type,
                let json = try? ArchivedJSON.json(Data(bytes))
            else { return nil }
            return Self.decode(codable, json)
        case .transformable(let attribute):
            guard case .blob(let bytes) = stored.first ?? .null else { return nil }
            return try? TransformableCoding.object(Data(bytes), attribute, path: attribute.name)
        }
    }

    /// An enumeration's value inside of a structure or a collection, that its type does not have; nil where there is none.
    func unknownCase(_ stored: [SQLValue], _ inner: Any.Type) -> UnknownCase? {
        switch self {
        case .composite(let names): return RowDecoder.unknownCase(inner, names, stored)
        case .archive:
            guard case .blob(let bytes)? = stored.first, let codable = inner as? any Codable.Type,
                let json = try? ArchivedJSON.json(Data(bytes))
            else { return nil }
            return UnknownCase.first(in: json, as: codable)
        case .scalar, .rawValue, .cases, .transformable: return nil
        }
    }

    private static func scalar<S: StoredScalar>(_ type: S.Type, _ stored: SQLValue) -> Any? {
        S(_stored: stored).map { $0 as Any }
    }

    private static func decode<T: Codable>(_ type: T.Type, _ json: Data) -> Any? {
        (try? JSONDecoder().decode(type, from: json)).map { $0 as Any }
    }

    private static func make<R: RawRepresentable>(_ type: R.Type, _ stored: SQLValue) -> Any? {
        guard let scalar = R.RawValue.self as? any StoredScalar.Type,
            let raw = Self.scalar(scalar, stored) as? R.RawValue
        else { return nil }
        return R(rawValue: raw)
    }

    private static func decode(_ stored: [SQLValue], _ cases: EnumCases, _ type: Any.Type) -> Any? {
        let active = zip(cases.names, stored).filter { !$0.1.isNull }
        guard active.count == 1, let (name, value) = active.first else { return nil }
        switch value {
        case .text(let text):
            guard text == name, cases.plain.contains(name) else { return nil }
            func open<T>(_ type: T.Type) -> Any? { cases.value(type, of: name).map { $0 as Any } }
            if let value = _openExistential(type, do: open) { return value }
            guard let codable = type as? any Codable.Type else { return nil }
            return (try? JSONSerialization.data(withJSONObject: [name: [String: Any]()])).flatMap {
                decode(codable, $0)
            }
        case .blob(let bytes):
            guard let codable = type as? any Codable.Type,
                let payload = try? JSONSerialization.jsonObject(with: Data(bytes)),
                let json = try? JSONSerialization.data(withJSONObject: [name: payload])
            else { return nil }
            return decode(codable, json)
        default: return nil
        }
    }
}
