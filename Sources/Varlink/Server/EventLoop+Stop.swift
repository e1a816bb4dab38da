extension EventLoop {
    /// Stops listening and reading; calls that are being answered have until the deadline.
    func stop(within duration: Duration, _ farewell: Server.Farewell?) {
        let deadline = MonotonicTime.now + duration
        let isFirst = !isStopping
        stopDeadline = min(stopDeadline ?? .distantFuture, deadline)
        guard isFirst else { return }
        for listener in parts.listeners {
            poller.remove(listener.descriptor)
            listener.stop()
        }
        for connection in Array(connections.values) {
            // Calls that were not begun are never half done: their client sees the connection close.
            connection.pending.removeAll { !connection.isGone || !$0.oneway }
            connection.channel.stop(farewell)
            // From now on less patience is had with a client that reads nothing.
            connection.stallDeadline = nil
            pump(connection)
        }
    }
}
