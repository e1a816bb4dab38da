/// How many keys a fetch may be sorted by.
///
/// SQLite (3.40 at least) ends the process where a fetch over joined tables is sorted by 64 keys or more. One of them is the
/// object's own.
public enum SortLimit {
    /// The most keys.
    public static let keys = 62

    /// - Throws: `StoreError` `BadPredicate` for more keys, before SQLite is asked.
    public static func check(_ count: Int) throws {
        guard count > keys else { return }
        throw StoreError(
            .badPredicate, "a fetch is sorted by at most \(keys) keys, and \(count) are given", way: "sort by fewer")
    }
}
