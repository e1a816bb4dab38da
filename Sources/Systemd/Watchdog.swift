import CSystemd

/// What the service manager expects of the service's signs of life (sd_watchdog_enabled(3)).
public enum Watchdog {
    /// The time after which the service manager takes the service for hung (`WatchdogSec=`), from `$WATCHDOG_USEC`
    /// and `$WATCHDOG_PID`; nil where no watchdog watches this process.
    public static var timeout: Duration? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return .microseconds(Int64(clamping: microseconds))
    }

    /// How often to send ``Notifier/watchdog()``: half of ``timeout``, as sd_watchdog_enabled(3) recommends.
    public static var interval: Duration? {
        timeout.map { $0 / 2 }
    }
}
