import Foundation

/// Threads that run requests, away from the server's thread, so that no request waits for a client and no client's
/// request blocks the loop. A long request takes one of them; a reading one never waits for a writing one.
final class RequestQueue: Sendable {
    private let queue: DispatchQueue
    private let group = DispatchGroup()

    init(label: String) {
        queue = DispatchQueue(label: label, attributes: .concurrent)
    }

    func run(_ body: @escaping @Sendable () -> Void) {
        queue.async(group: group, execute: body)
    }

    /// Waits for what is running. Returns false if it took longer.
    func drain(seconds: Double) -> Bool {
        group.wait(timeout: .now() + seconds) == .success
    }
}
