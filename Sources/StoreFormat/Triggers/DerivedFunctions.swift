import SQLite

/// The SQL functions that the triggers of derived attributes call (Format, surprise 1). Without them every insert into
/// such a table fails. Apple's tell the framework which row a trigger touched; ours tell an observer the same.
public enum DerivedFunctions {
    static let names = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue",
        "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    /// A row that a trigger changed: entity number and key.
    public struct AffectedRow: Sendable, Hashable {
        /// The row's `Z_ENT`.
        public var entityNumber: Int64
        /// The row's `Z_PK`.
        public var key: Int64
    }

    /// Registers the functions.
    /// - Parameter observer: told each row that a trigger touched, on the connection's thread.
    public static func register(
        on connection: Connection, observer: ((AffectedRow) -> Void)? = nil
    ) throws {
        for name in names {
            try connection.createFunction(name, argumentCount: -1, isDeterministic: false) { arguments in
                if let observer, arguments.count >= 3, let number = arguments[1].integerValue,
                    let key = arguments[2].integerValue
                {
                    observer(AffectedRow(entityNumber: number, key: key))
                }
                return .null
            }
        }
    }
}
