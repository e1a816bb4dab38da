import Foundation

/// An object's identity inside one store: its entity and key.
public struct ObjectReference: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The concrete entity's name.
    public var entity: String
    /// The row's `Z_PK`.
    public var key: Int64

    /// An identity from its parts.
    public init(entity: String, key: Int64) {
        self.entity = entity
        self.key = key
    }

    /// The short form, `Entity/12`.
    public var description: String { "\(entity)/\(key)" }

    /// Core Data's URI form, `x-coredata://<store UUID>/Entity/p12`.
    public func uri(storeUUID: String) -> String { "x-coredata://\(storeUUID)/\(entity)/p\(key)" }

    /// By entity name in byte order, then by key.
    public static func < (a: ObjectReference, b: ObjectReference) -> Bool {
        a.entity == b.entity ? a.key < b.key : a.entity.utf8.lexicographicallyPrecedes(b.entity.utf8)
    }

    /// Reads either form.
    /// - Throws: `StoreError`: `OtherStore` if the URI is of another store, `UnknownObject` if it is no identity.
    public init(parsing text: String, storeUUID: String) throws {
        var rest = Substring(text)
        let prefix = "x-coredata://"
        if rest.hasPrefix(prefix) {
            rest = rest.dropFirst(prefix.count)
            guard let slash = rest.firstIndex(of: "/") else { throw Self.malformed(text) }
            let uuid = rest[..<slash]
            guard uuid.uppercased() == storeUUID.uppercased() else {
                throw StoreError(
                    .otherStore, "\(text) is an object of the store \(uuid), this one is \(storeUUID)",
                    way: "give an object of this store")
            }
            rest = rest[rest.index(after: slash)...]
            guard let slash = rest.firstIndex(of: "/"), rest[rest.index(after: slash)...].first == "p" else {
                throw Self.malformed(text)
            }
            rest = rest[..<slash] + "/" + rest[slash...].dropFirst(2)
        }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, let key = Int64(parts[1]), key > 0 else {
            throw Self.malformed(text)
        }
        self.init(entity: String(parts[0]), key: key)
    }

    private static func malformed(_ text: String) -> StoreError {
        StoreError(
            .unknownObject, "\(text) names no object", way: "use Entity/12 or x-coredata://<store UUID>/Entity/p12")
    }
}
