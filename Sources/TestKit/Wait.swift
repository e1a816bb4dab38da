import Foundation

/// Waits until the condition holds, looking every millisecond.
/// - Returns: whether it came to hold within the seconds.
public func eventually(within seconds: Double = 60, _ condition: () -> Bool) -> Bool {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while !condition() {
        guard .now < deadline else { return false }
        usleep(1_000)
    }
    return true
}
