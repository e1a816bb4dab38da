import CSQLite

/// A compiled statement: bind, step, read the row in place, reset.
///
/// Made by `Connection.prepare(_:)` and used only where its connection is used. The readers by column number are valid
/// while the last `step()` returned true.
public final class Statement {
    let handle: OpaquePointer
    private let database: OpaquePointer
    /// Keeps the connection of a statement that its caller holds. One in the connection's own cache must not: the two
    /// would keep each other, and the file open, for good.
    private let connection: Connection?
    /// The text that was compiled.
    public let sql: String

    init(_ connection: Connection, _ sql: String, isCached: Bool = false) throws {
        var handle: OpaquePointer?
        var rest: String?
        let code = sql.withCString { text in
            var tail: UnsafePointer<CChar>?
            let code = sqlite3_prepare_v3(
                connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, &tail)
            if code == SQLITE_OK, let tail, tail.pointee != 0 { rest = String(cString: tail) }
            return code
        }
        guard code == SQLITE_OK else { throw SQLiteError(connection.handle, code, sql: sql) }
        guard let handle else {
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "no statement in the text", sql: sql)
        }
        if let rest, !rest.allSatisfy({ $0.isWhitespace || $0 == ";" }) {
            sqlite3_finalize(handle)
            throw SQLiteError(extendedCode: SQLITE_MISUSE, message: "more than one statement in the text", sql: sql)
        }
        self.handle = handle
        self.database = connection.handle
        self.connection = isCached ? nil : connection
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// The number of columns of a row.
    public var columnCount: Int { Int(sqlite3_column_count(handle)) }

    /// The name of a column of the result.
    public func columnName(_ column: Int) -> String {
        sqlite3_column_name(handle, Int32(column)).map { String(cString: $0) } ?? ""
    }

    // MARK: Binding (numbers from 1, as SQLite has them)

    /// Binds a value in its storage class.
    public func bind(_ value: SQLValue, at index: Int) {
        switch value {
        case .null: bindNull(at: index)
        case .integer(let value): bind(value, at: index)
        case .real(let value): bind(value, at: index)
        case .text(let value): bind(value, at: index)
        case .blob(let value): bind(value, at: index)
        }
    }

    /// Binds NULL.
    public func bindNull(at index: Int) {
        sqlite3_bind_null(handle, Int32(index))
    }

    /// Binds an INTEGER.
    public func bind(_ value: Int64, at index: Int) {
        sqlite3_bind_int64(handle, Int32(index), value)
    }

    /// Binds a REAL; not-a-number becomes NULL.
    public func bind(_ value: Double, at index: Int) {
        sqlite3_bind_double(handle, Int32(index), value)
    }

    /// Binds a TEXT, zero bytes included.
    public func bind(_ value: String, at index: Int) {
        var value = value
        value.withUTF8 { bytes in
            // An empty buffer may have no address, and a nil pointer would bind NULL.
            guard let base = bytes.baseAddress else { return Self.emptyText(handle, index) }
            base.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                _ = coexist_sqlite3_bind_text(handle, Int32(index), $0, UInt64(bytes.count))
            }
        }
    }

    /// Binds a BLOB, also an empty one.
    public func bind(_ value: [UInt8], at index: Int) {
        value.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress, !bytes.isEmpty {
                _ = coexist_sqlite3_bind_blob(handle, Int32(index), base, UInt64(bytes.count))
            } else {
                sqlite3_bind_zeroblob(handle, Int32(index), 0)
            }
        }
    }

    /// Binds the parameters from the first on.
    public func bind(_ values: [SQLValue]) {
        for (i, value) in values.enumerated() { bind(value, at: i + 1) }
    }

    private static func emptyText(_ handle: OpaquePointer, _ index: Int) {
        _ = "".withCString { coexist_sqlite3_bind_text(handle, Int32(index), $0, 0) }
    }

    // MARK: Running

    /// Steps to the next row: true if there is one, false at the end. A statement that ends is reset by the next `run`.
    /// - Throws: `SQLiteError`; the statement is reset.
    @discardableResult
    public func step() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let error = SQLiteError(database, code, sql: sql)
        sqlite3_reset(handle)
        throw error
    }

    /// Runs to the end, and resets. Bindings stay.
    public func run() throws {
        while try step() {}
        sqlite3_reset(handle)
    }

    /// Binds all, runs to the end, and resets.
    public func run(_ values: [SQLValue]) throws {
        bind(values)
        try run()
    }

    /// Calls the body for each row. The statement is reset at the end, also when the body throws.
    public func forEach(_ values: [SQLValue] = [], _ body: (Statement) throws -> Void) throws {
        bind(values)
        defer { sqlite3_reset(handle) }
        while try step() { try body(self) }
    }

    /// Ends the current run, so that the statement holds no lock. Bindings stay.
    public func reset() {
        sqlite3_reset(handle)
    }

    /// Sets every parameter to NULL.
    public func clearBindings() {
        sqlite3_clear_bindings(handle)
    }

    // MARK: Reading the current row (columns from 0, as SQLite has them)

    /// Whether the column is NULL.
    public func isNull(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// Whether the column is a BLOB.
    public func isBlob(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_BLOB
    }

    /// Whether the column is stored as an integer.
    public func isInteger(_ column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_INTEGER
    }

    /// The column as an integer; 0 for NULL.
    public func integer(_ column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(column))
    }

    /// The column as a double; 0 for NULL.
    public func double(_ column: Int) -> Double {
        sqlite3_column_double(handle, Int32(column))
    }

    /// The text, with invalid UTF-8 replaced; nil for NULL.
    public func text(_ column: Int) -> String? {
        guard let start = sqlite3_column_text(handle, Int32(column)) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The bytes; nil for NULL, empty for an empty blob.
    public func blob(_ column: Int) -> [UInt8]? {
        if isNull(column) { return nil }
        let count = Int(sqlite3_column_bytes(handle, Int32(column)))
        guard count > 0, let start = sqlite3_column_blob(handle, Int32(column)) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    /// Calls the body with the bytes where SQLite keeps them, valid within it; empty for NULL.
    public func withBlob<T>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        // SQLite asks for the pointer before the count.
        let start = sqlite3_column_blob(handle, Int32(column))
        return try body(
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    /// The value in the storage class that it has.
    public func value(_ column: Int) -> SQLValue {
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(double(column))
        case SQLITE_TEXT: .text(text(column) ?? "")
        case SQLITE_BLOB: .blob(blob(column) ?? [])
        default: .null
        }
    }

    /// All values of the current row.
    public var row: [SQLValue] {
        (0..<columnCount).map { value($0) }
    }
}
