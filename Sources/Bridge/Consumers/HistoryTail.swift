import SQLite
import StoreFormat

/// How much history comes after each of some places, however many places there are: each transaction is looked at once.
struct HistoryTail {
    private var places: [Int64: (count: Int64, next: Double?)] = [:]

    /// - Parameter numbers: the places, as the last transaction before each.
    init(_ connection: Connection, after numbers: [Int64], store: Store) throws {
        guard try HistoryReader(connection, store: store).extent().count > 0 else { return }
        var behind: Int64 = 0
        var end = Int64.max
        for number in Set(numbers).sorted(by: >) {
            let count = try connection.scalar(
                "SELECT count(*) FROM ATRANSACTION WHERE Z_PK > ? AND Z_PK <= ?", [.integer(number), .integer(end)])
            behind += count?.integerValue ?? 0
            end = number
            let next = try connection.scalar(
                "SELECT ZTIMESTAMP FROM ATRANSACTION WHERE Z_PK > ? ORDER BY Z_PK LIMIT 1", [.integer(number)])
            places[number] = (behind, next?.doubleValue)
        }
    }

    /// How many transactions come after a place.
    func count(after number: Int64) -> Int64 { places[number]?.count ?? 0 }

    /// The time of the first one after it.
    func next(after number: Int64) -> Double? { places[number]?.next }
}
