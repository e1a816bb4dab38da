import StoreFormat

/// Core Data's URIs of objects: `x-coredata://<store UUID>/Entity/p12`, with `t` for an object that was never saved.
enum ObjectURI {
    static func text(_ storeUUID: String, _ entity: String, _ key: Int64) -> String {
        key > 0 ? "x-coredata://\(storeUUID)/\(entity)/p\(key)" : "x-coredata:///\(entity)/t\(-key)"
    }

    /// The entity and key; the key is nil for an object that was never saved. Nil where it is no object of the store.
    static func key(_ text: String, _ schema: Schema) -> (entity: SchemaEntity, key: Int64?)? {
        if let reference = try? ObjectReference(parsing: text, storeUUID: schema.storeUUID) {
            return schema[reference.entity].map { ($0, reference.key) }
        }
        let prefix = "x-coredata:///"
        guard text.hasPrefix(prefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(separator: "/")
        guard parts.count == 2, parts[1].first == "t" else { return nil }
        return schema[String(parts[0])].map { ($0, nil) }
    }
}
