import CSQLite

/// What a connection has found out about the tables, as of a version of the schema.
struct SchemaFacts {
    var version: Int64?
    var values: [String: any Sendable] = [:]
}

extension Connection {
    /// What the body finds out about the tables: read once, and anew after the schema has changed.
    ///
    /// Within a write transaction nothing is kept. If it were rolled back, another's change of the schema could get the
    /// same version.
    /// - Parameter name: what tells this fact from others; always with the same type.
    /// - Throws: what the body throws, `SQLiteError`.
    public func schemaFact<T: Sendable>(_ name: String, _ read: () throws -> T) throws -> T {
        let version = try scalar("PRAGMA schema_version")?.integerValue
        if facts.version == version, let held = facts.values[name], let known = held as? T { return known }
        let found = try read()
        guard sqlite3_txn_state(handle, "main") != SQLITE_TXN_WRITE else { return found }
        if facts.version != version { facts = SchemaFacts(version: version) }
        facts.values[name] = found
        return found
    }
}
