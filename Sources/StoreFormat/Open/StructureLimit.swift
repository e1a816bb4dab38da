import SQLite

/// How long one value may be of what every store has beside its objects: metadata, model cache, catalogue, the list of tables,
/// history's strings. A file that claims more is refused before the value is in memory.
enum StructureLimit {
    /// The longest that are known are some hundred kilobytes.
    static let bytes = 64 << 20

    /// The same for history, whose tombstones can be values of objects.
    static let historyBytes = 256 << 20

    /// Reads a part of the store's structure.
    /// - Throws: `StoreError` of that code where a value is longer, and what the body throws.
    static func reading<T>(
        _ what: String, _ connection: Connection, bytes: Int = Self.bytes, code: StoreError.Code, way: String,
        _ body: () throws -> T
    ) throws -> T {
        do {
            return try connection.limitingValues(to: bytes, body)
        } catch let error as SQLiteError where error.isTooBig {
            throw StoreError(
                code, "\(what) of \(connection.path) is longer than \(bytes >> 20) MiB, which none is", way: way)
        }
    }
}
