import Glibc

extension EventLoop {
    /// How many pieces are read from one connection before others get their turn.
    private static let piecesPerTurn = 4

    /// Whether more may be read from a connection: not while enough calls wait already.
    func isReading(_ connection: Connection) -> Bool {
        !connection.isGone && !connection.hasInputEnded && connection.fault == nil && !isStopping
            && connection.pending.count < limits.pipelinedCalls
    }

    /// Reads what is there, within bounds, and cuts it into calls.
    func read(_ connection: Connection) {
        for _ in 0..<Self.piecesPerTurn where isReading(connection) {
            guard readPiece(connection) else { break }
            parse(connection, upTo: limits.pipelinedCalls)
        }
    }

    /// Reads one piece.
    /// - Returns: whether there may be more.
    private func readPiece(_ connection: Connection) -> Bool {
        while true {
            let count = recv(connection.descriptor, &chunk, chunk.count, 0)
            if count > 0 {
                chunk.withUnsafeBufferPointer { connection.input.append(UnsafeBufferPointer(rebasing: $0[..<count])) }
                connection.idleDeadline = nil
                return true
            }
            if count < 0, errno == EINTR { continue }
            // An error comes with a hang-up, which is an event of its own.
            if count == 0 { connection.hasInputEnded = true }
            return false
        }
    }

    /// Cuts calls from the input until that many wait.
    func parse(_ connection: Connection, upTo limit: Int) {
        let depth = limits.depth
        while connection.fault == nil, connection.pending.count < limit {
            do {
                let call = try connection.input.next { (text) throws(MessageError) in
                    try Call(parsing: text, maximumDepth: depth)
                }
                guard let call else {
                    if connection.hasInputEnded, connection.input.count > 0 { connection.fault = .incomplete }
                    return
                }
                connection.messageDeadline = nil
                connection.pending.append(call)
                parts.ledger.update { $0.calls += 1 }
            } catch {
                connection.fault = error
            }
        }
    }

    /// Takes what the client has sent meanwhile off the socket: with something unread the client would be told of a
    /// broken connection. Bounded, since a client may go on sending.
    func drain(_ connection: Connection) {
        for _ in 0..<Self.piecesPerTurn * 2 where recv(connection.descriptor, &chunk, chunk.count, 0) <= 0 { return }
    }

    /// Ends a connection whose client has closed it. Nobody waits for answers any more, but oneway calls that were
    /// sent before are still carried out.
    func clientGone(_ connection: Connection) {
        // What is left is bounded by the socket's buffer.
        if !isStopping { while !connection.hasInputEnded, readPiece(connection) {} }
        parse(connection, upTo: .max)
        connection.pending.removeAll { !$0.oneway }
        if connection.pending.isEmpty {
            // A client may go in the middle of a message.
            let fault = connection.fault == .incomplete ? nil : connection.fault
            return close(connection, fault.map { .malformed($0) } ?? .closedByClient)
        }
        disconnect(connection, .closedByClient)
        pump(connection)
    }
}
