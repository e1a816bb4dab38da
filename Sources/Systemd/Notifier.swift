import CSystemd
import Glibc

/// Tells the service manager how the service is doing (sd_notify(3)).
///
/// The socket is named by `$NOTIFY_SOCKET`, which libsystemd reads at each call. Where it is not set, as in a shell,
/// nothing is sent and every method returns false.
public struct Notifier: Sendable {
    /// A notifier.
    public init() {}

    /// Start-up is done, or a reload is.
    /// - Parameter status: what `systemctl status` shows; nil leaves it as it is.
    /// - Returns: whether it was sent.
    @discardableResult
    public func ready(status: String? = nil) -> Bool {
        send(["READY=1"] + statusLine(status))
    }

    /// Sets the line that `systemctl status` shows.
    /// - Returns: whether it was sent.
    @discardableResult
    public func status(_ text: String) -> Bool {
        send(statusLine(text))
    }

    /// A reload has begun; ``ready(status:)`` ends it. Carries the time that `Type=notify-reload` asks for.
    /// - Returns: whether it was sent.
    @discardableResult
    public func reloading(status: String? = nil) -> Bool {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
        return send(["RELOADING=1", "MONOTONIC_USEC=\(microseconds)"] + statusLine(status))
    }

    /// The service begins to shut down.
    /// - Returns: whether it was sent.
    @discardableResult
    public func stopping(status: String? = nil) -> Bool {
        send(["STOPPING=1"] + statusLine(status))
    }

    /// The service is alive. Send it from the work that would hang, never from a bare timer.
    /// - Returns: whether it was sent.
    @discardableResult
    public func watchdog() -> Bool {
        send(["WATCHDOG=1"])
    }

    /// Asks for more time to start, reload or stop, counted from now.
    /// - Returns: whether it was sent.
    @discardableResult
    public func extendTimeout(by duration: Duration) -> Bool {
        let (seconds, attoseconds) = duration.components
        return send(["EXTEND_TIMEOUT_USEC=\(seconds * 1_000_000 + attoseconds / 1_000_000_000_000)"])
    }

    /// Waits until the service manager has taken in all that was sent before.
    /// - Returns: whether it answered within the time.
    @discardableResult
    public func barrier(timeout: Duration) -> Bool {
        let (seconds, attoseconds) = timeout.components
        return sd_notify_barrier(0, UInt64(max(0, seconds * 1_000_000 + attoseconds / 1_000_000_000_000))) > 0
    }

    private func statusLine(_ status: String?) -> [String] {
        guard let status else { return [] }
        // A line feed would begin another assignment.
        return ["STATUS=" + String(status.map { $0.isNewline ? " " : $0 })]
    }

    private func send(_ lines: [String]) -> Bool {
        sd_notify(0, lines.joined(separator: "\n")) > 0
    }
}
