import Foundation
import StoreModel

/// How the values of transformable attributes stand in their columns, for both stacks (Format, sections 3.2 and 10).
///
/// A registered transformer goes first. Without one, the names of Foundation's own transformers and no name at all mean
/// a keyed archive of plain values, which ``SecureArchive`` reads; any other name is unknown.
public enum TransformableCoding {
    /// The value behind a column's data.
    /// - Throws: `StoreError` `TransformerUnknown`, or `InvalidValue` where the data is nothing that the transformer reads.
    public static func object(_ data: Data, _ attribute: AttributeDescription, path: String) throws -> Any {
        if let transformer = try transformer(attribute, path) {
            guard let object = transformer.reverseTransformedValue(data) else {
                throw invalid(path, "its transformer cannot read the data")
            }
            return object
        }
        do {
            let object = try SecureArchive.object(data)
            guard let json = object as? Data, let name = attribute.valueClassName else { return object }
            if SwiftCollection.isOne(name) { return try SwiftCollection.object(json, name) }
            return SwiftCollection.isKin(name) ? (try? SwiftCollection.object(json, name)) ?? object : object
        } catch {
            throw invalid(path, "\(error)")
        }
    }

    /// Whether the attribute's transformer reads the data, as far as that is known here: not of a transformer that nobody
    /// registered. The secure one takes plain values only, the other one any keyed archive.
    /// - Throws: `StoreError` `TypeMismatch`.
    public static func check(_ data: Data, _ attribute: AttributeDescription, path: String) throws {
        do {
            _ = try object(data, attribute, path: path)
        } catch let error as StoreError where error.code == .invalidValue {
            let isSecure = attribute.valueTransformerName?.hasPrefix("NSSecure") ?? false
            if !isSecure, !hasTransformer(attribute), SecureArchive.isArchive(data) { return }
            throw StoreError(
                .typeMismatch, "\(error.message): no program could read it",
                way: "give the bytes that its transformer makes, such as those of another object's value")
        } catch let error as StoreError where error.code == .transformerUnknown {}
    }

    /// The column's data for a value.
    /// - Throws: `StoreError` `TransformerUnknown`, or `TypeMismatch` where the value has no archive here.
    public static func data(_ object: Any, _ attribute: AttributeDescription, path: String) throws -> Data {
        func mismatch(_ why: String) -> StoreError {
            StoreError(
                .typeMismatch, "\(path) is transformable: \(type(of: object)) \(why)",
                way: "give a value that its transformer takes")
        }
        if let transformer = try transformer(attribute, path) {
            guard let data = transformer.transformedValue(object) as? Data else {
                throw mismatch("is nothing that its transformer takes")
            }
            return data
        }
        do {
            if let name = attribute.valueClassName, SwiftCollection.isOne(name) {
                return try SecureArchive.data(try SwiftCollection.json(object, name))
            }
            return try SecureArchive.data(object)
        } catch {
            throw mismatch("\(error)")
        }
    }

    /// Whether the program has registered the attribute's transformer.
    public static func hasTransformer(_ attribute: AttributeDescription) -> Bool {
        attribute.valueTransformerName.flatMap { ValueTransformer.named(NSValueTransformerName($0)) } != nil
    }

    /// The registered transformer; nil for a keyed archive of plain values.
    private static func transformer(_ attribute: AttributeDescription, _ path: String) throws -> ValueTransformer? {
        guard let name = attribute.valueTransformerName, !name.isEmpty else { return nil }
        if let transformer = ValueTransformer.named(NSValueTransformerName(name)) { return transformer }
        if archives.contains(name) { return nil }
        throw StoreError(
            .transformerUnknown, "\(path): there is no transformer \(name)",
            way: "register it with ValueTransformer.setValueTransformer(_:forName:) before the store is used")
    }

    private static let archives: Set<String> = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
    ]

    private static func invalid(_ path: String, _ why: String) -> StoreError {
        StoreError(
            .invalidValue, "\(path): \(why)", way: "set the property anew; until then its bytes stay as they are")
    }
}
