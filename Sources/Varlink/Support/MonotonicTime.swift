import Glibc

/// A point in time on the monotonic clock.
struct MonotonicTime: Comparable {
    var nanoseconds: Int64

    static let distantFuture = MonotonicTime(nanoseconds: .max)

    static var now: MonotonicTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

    static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        let (seconds, attoseconds) = duration.components
        let (scaled, first) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, second) = time.nanoseconds.addingReportingOverflow(scaled)
        let (end, third) = sum.addingReportingOverflow(attoseconds / 1_000_000_000)
        return first || second || third ? .distantFuture : MonotonicTime(nanoseconds: end)
    }

    /// The time until this point in milliseconds, rounded up, as poll and epoll take it: -1 for ever, 0 if passed.
    func pollTimeout(from now: MonotonicTime) -> Int32 {
        if self == .distantFuture { return -1 }
        guard self > now else { return 0 }
        return Int32(clamping: (nanoseconds - now.nanoseconds + 999_999) / 1_000_000)
    }
}
