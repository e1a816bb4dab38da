import CSQLite

extension Connection {
    /// Registers an SQL function.
    /// - Parameters:
    ///   - argumentCount: -1 for any number.
    ///   - isDeterministic: whether equal arguments give equal results, so that SQLite may fold and index it.
    ///   - body: called with the arguments, on the connection's own thread.
    public func createFunction(
        _ name: String, argumentCount: Int, isDeterministic: Bool = true, _ body: @escaping ([SQLValue]) -> SQLValue
    ) throws {
        let box = Unmanaged.passRetained(FunctionBox(body)).toOpaque()
        var flags = SQLITE_UTF8 | SQLITE_INNOCUOUS
        if isDeterministic { flags |= SQLITE_DETERMINISTIC }
        let code = sqlite3_create_function_v2(
            handle, name, Int32(argumentCount), flags, box,
            { context, count, values in
                guard let context, let box = sqlite3_user_data(context) else { return }
                let function = Unmanaged<FunctionBox>.fromOpaque(box).takeUnretainedValue()
                let arguments = (0..<Int(count)).map { FunctionBox.value(values?[$0]) }
                FunctionBox.set(function.body(arguments), context)
            }, nil, nil,
            { box in
                guard let box else { return }
                Unmanaged<FunctionBox>.fromOpaque(box).release()
            })
        guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
        functionNames.insert(name)
    }

    /// Registers an SQL function of one argument: 0 for a text that is not valid UTF-8, else 1. Texts are looked at where
    /// they are, not copied.
    public func createTextCheck(_ name: String) throws {
        guard !hasFunction(name) else { return }
        let code = sqlite3_create_function_v2(
            handle, name, 1, SQLITE_UTF8 | SQLITE_INNOCUOUS | SQLITE_DETERMINISTIC, nil,
            { context, _, values in
                let value = values?[0]
                guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value) else {
                    return sqlite3_result_int(context, 1)
                }
                let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
                let isValid = bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
                sqlite3_result_int(context, isValid ? 1 : 0)
            }, nil, nil, nil)
        guard code == SQLITE_OK else { throw SQLiteError(handle, code) }
        functionNames.insert(name)
    }

    /// Whether `createFunction` registered that name here.
    public func hasFunction(_ name: String) -> Bool {
        functionNames.contains(name)
    }
}

private final class FunctionBox {
    let body: ([SQLValue]) -> SQLValue

    init(_ body: @escaping ([SQLValue]) -> SQLValue) {
        self.body = body
    }

    static func value(_ value: OpaquePointer?) -> SQLValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .real(sqlite3_value_double(value))
        case SQLITE_TEXT:
            guard let start = sqlite3_value_text(value) else { return .null }
            let count = Int(sqlite3_value_bytes(value))
            return .text(String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(value))
            guard count > 0, let start = sqlite3_value_blob(value) else { return .blob([]) }
            return .blob([UInt8](UnsafeRawBufferPointer(start: start, count: count)))
        default: return .null
        }
    }

    static func set(_ value: SQLValue, _ context: OpaquePointer) {
        switch value {
        case .null: sqlite3_result_null(context)
        case .integer(let value): sqlite3_result_int64(context, value)
        case .real(let value): sqlite3_result_double(context, value)
        case .text(var value):
            value.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    if let base = $0.baseAddress {
                        coexist_sqlite3_result_text(context, base, UInt64($0.count))
                    } else {
                        "".withCString { coexist_sqlite3_result_text(context, $0, 0) }
                    }
                }
            }
        case .blob(let value):
            value.withUnsafeBytes { bytes in
                if let base = bytes.baseAddress, !bytes.isEmpty {
                    coexist_sqlite3_result_blob(context, base, UInt64(bytes.count))
                } else {
                    sqlite3_result_zeroblob(context, 0)
                }
            }
        }
    }
}
