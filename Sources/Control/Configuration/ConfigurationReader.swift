import Foundation
import StoreFormat
import Varlink

/// Takes values out of a configuration's JSON, and tells what is wrong with them.
struct ConfigurationReader {
    let object: JSONObject
    /// Where the object stands: empty at the top.
    let path: String

    /// - Throws: `ConfigurationError` for a key that is not allowed, with the nearest that is.
    init(_ object: JSONObject, path: String, keys: [String]) throws {
        self.object = object
        self.path = path
        for key in object.keys where !keys.contains(key) {
            let nearest = NearestName.of(key, among: keys)
            throw ConfigurationError(
                path: path.isEmpty ? key : "\(path).\(key)", message: "there is no such key",
                way: nearest.map { "did you mean \($0)?" }
                    ?? "allowed are, the nearest first: \(NearestName.sorted(keys, by: key).joined(separator: ", "))")
        }
    }

    private func place(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private func wrong(_ key: String, _ value: JSON, _ allowed: String) -> ConfigurationError {
        ConfigurationError(
            path: place(key), message: "\(value.description.prefix(80)) is not allowed", way: "allowed is \(allowed)")
    }

    private func given(_ key: String) -> JSON? {
        guard let value = object[key], !value.isNull else { return nil }
        return value
    }

    func string(_ key: String) throws -> String? {
        guard let value = given(key) else { return nil }
        guard let text = value.stringValue, !text.isEmpty else { throw wrong(key, value, "a text that is not empty") }
        return text
    }

    func integer(_ key: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let value = given(key) else { return nil }
        guard let number = value.intValue, range.contains(number) else {
            throw wrong(key, value, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<T: RawRepresentable & CaseIterable>(_ key: String, _: T.Type) throws -> T? where T.RawValue == String {
        guard let value = given(key) else { return nil }
        guard let text = value.stringValue, let choice = T(rawValue: text) else {
            throw wrong(key, value, T.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
        }
        return choice
    }

    func strings(_ key: String) throws -> [String]? {
        guard let value = given(key) else { return nil }
        guard let items = value.arrayValue?.map(\.stringValue), !items.contains(nil) else {
            throw wrong(key, value, "a list of texts")
        }
        return items.compactMap { $0 }
    }

    func owners(_ key: String) throws -> [String: StackName]? {
        guard let value = given(key) else { return nil }
        guard let object = value.objectValue else {
            throw wrong(key, value, "an object of names to \"legacy\" or \"model\"")
        }
        var owners: [String: StackName] = [:]
        for (name, item) in object {
            guard let owner = item.stringValue.flatMap(StackName.init(rawValue:)) else {
                throw ConfigurationError(
                    path: "\(place(key)).\(name)", message: "\(item.description.prefix(80)) is no stack",
                    way: "allowed is \"legacy\", \"model\"")
            }
            owners[name] = owner
        }
        return owners
    }

    func section(_ key: String, keys: [String]) throws -> ConfigurationReader? {
        guard let value = given(key) else { return nil }
        guard let object = value.objectValue else { throw wrong(key, value, "an object") }
        return try ConfigurationReader(object, path: place(key), keys: keys)
    }
}
