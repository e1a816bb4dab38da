/// Numbers that a file counts up: keys, history transactions, changes. A file can say anything, also that the last number
/// there is has been handed out.
enum FileCounter {
    /// The number that many after the last one; numbers below zero count as none.
    /// - Throws: `StoreError` `Damaged`, naming the counter.
    /// - Parameter place: where the file keeps it, in words for who has to correct it.
    static func advance(
        _ last: Int64, by count: Int64 = 1, _ what: @autoclosure () -> String,
        place: @autoclosure () -> String = "Z_MAX in Z_PRIMARYKEY and the highest Z_PK"
    ) throws -> Int64 {
        let (next, isOver) = max(0, last).addingReportingOverflow(count)
        // The last number of all is left alone, so that what counts on from a number may add 1 to it.
        guard !isOver, next < .max else {
            throw StoreError(
                .damaged, "the numbers of \(what()) have run out: the counter stands at \(last)",
                way: "restore a backup, or correct \(place())")
        }
        return next
    }
}
