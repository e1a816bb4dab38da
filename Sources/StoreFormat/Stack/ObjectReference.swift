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

    /// The short form, `Entity/12`; of an object that was never saved only that it is new.
    public var description: String { key > 0 ? "\(entity)/\(key)" : "a new \(entity)" }

    /// Core Data's URI form, `x-coredata://<store UUID>/Entity/p12`.
    public func uri(storeUUID: String) -> String { "x-coredata://\(storeUUID)/\(entity)/p\(key)" }

    /// By entity name in byte order, then by key.
    public static func < (a: ObjectReference, b: ObjectReference) -> Bool {
        a.entity == b.entity ? a.key < b.key : a.entity.utf8.lexicographicallyPrecedes(b.entity.utf8)
    }

    /// Reads either form.
    /// - Throws: `StoreError`: `OtherStore` if the URI is of another store, `UnknownObject` if it is no identity.
    public init(parsing text: String, storeUUID: String) throws {
        // By bytes: a predicate's list may hold thousands of them.
        var rest = text.utf8[...]
        let isURI = rest.starts(with: "x-coredata://".utf8)
        if isURI {
            rest = rest.dropFirst("x-coredata://".utf8.count)
            guard let uuid = Self.part(&rest) else { throw Self.malformed(text) }
            guard uuid == storeUUID || uuid.uppercased() == storeUUID.uppercased() else {
                throw StoreError(
                    .otherStore, "\(text) is an object of the store \(uuid), this one is \(storeUUID)",
                    way: "give an object of this store")
            }
        }
        guard let entity = Self.part(&rest), !entity.isEmpty else { throw Self.malformed(text) }
        // The last part of a URI, copied by itself, is meant as well.
        let hasLetter = rest.first == UInt8(ascii: "p")
        if hasLetter { rest = rest.dropFirst() }
        guard hasLetter || !isURI,
            let key = Int64(String(rest) ?? ""), key > 0
        else { throw Self.malformed(text) }
        self.init(entity: entity, key: key)
    }

    /// Takes what stands before the next slash, and the slash.
    private static func part(_ rest: inout Substring.UTF8View) -> String? {
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
        defer { rest = rest[rest.index(after: slash)...] }
        return String(rest[..<slash])
    }

    private static func malformed(_ text: String) -> StoreError {
        StoreError(
            .unknownObject, "\(text) names no object", way: "use Entity/12 or x-coredata://<store UUID>/Entity/p12")
    }
}
