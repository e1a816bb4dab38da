import Glibc

extension EventLoop {
    /// Moves a connection on: sends what waits, and begins calls as those before are finished.
    func pump(_ connection: Connection) {
        while true {
            let findings = connection.channel.look()
            if findings.hasFinished { connection.isActive = false }
            if !connection.isGone {
                if let reason = findings.closeReason { return close(connection, reason) }
                guard flush(connection) else { return clientGone(connection) }
            }
            // Replies are not made faster than the client reads them.
            let isBehind = connection.hasOutput && findings.queued > limits.queuedBytes / 2
            guard !connection.isActive, !isBehind else { break }
            if isStopping, !connection.isGone { break }
            if connection.pending.isEmpty { parse(connection, upTo: limits.pipelinedCalls) }
            guard !connection.pending.isEmpty else { break }
            begin(connection.pending.removeFirst(), on: connection)
        }
        settle(connection)
    }

    private func begin(_ call: Call, on connection: Connection) {
        let number = nextCall
        nextCall += 1
        connection.isActive = true
        connection.isStream = call.more
        connection.channel.begin(number, call)
        switch parts.service.route(call) {
        case .handler: parts.handler(IncomingCall(call, connection.channel, number: number))
        case .reply(let reply):
            _ = connection.channel.reply(reply, to: number, isOneway: call.oneway, isBounded: false)
        }
    }

    /// Sends what the socket takes.
    /// - Returns: false if the client has gone.
    private func flush(_ connection: Connection) -> Bool {
        while !connection.isBlocked {
            if !connection.hasOutput {
                connection.output.removeAll(keepingCapacity: connection.output.capacity <= 1 << 16)
                connection.outputOffset = 0
                connection.channel.takeOutput(&connection.output)
                if connection.output.isEmpty { break }
            }
            let (count, code) = connection.output.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[connection.outputOffset...])
                let count = send(connection.descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                return (count, errno)
            }
            if count >= 0 {
                connection.outputOffset += count
                connection.stallDeadline = nil
                connection.channel.sent(count)
            } else if code == EAGAIN {
                connection.isBlocked = true
            } else if code != EINTR {
                return false
            }
        }
        return true
    }

    /// Closes a connection that has nothing left to do, and else sets what to watch for and what is overdue when.
    func settle(_ connection: Connection) {
        let isQuiet = !connection.isActive && connection.pending.isEmpty
        if connection.isGone {
            if isQuiet { connections[connection.channel.id] = nil }
            return
        }
        if let fault = connection.fault, isQuiet || connection.isStream && connection.isActive {
            if !connection.isTold {
                connection.isTold = true
                connection.channel.object(with: parts.objection(fault))
                guard flush(connection) else { return clientGone(connection) }
            }
            if !connection.hasOutput {
                drain(connection)
                return close(connection, fault == .notInTime ? .messageTimeout : .malformed(fault))
            }
        }
        if isQuiet, !connection.hasOutput {
            if isStopping { return close(connection, .serverStopped) }
            if connection.hasInputEnded { return close(connection, .closedByClient) }
        }

        let reads = isReading(connection)
        let events = (reads ? Poller.input : 0) | (connection.isBlocked ? Poller.output : 0)
        if events != connection.events {
            connection.events = events
            poller.modify(connection.descriptor, events, token: connection.channel.id)
        }

        let now = MonotonicTime.now
        let isPartial = reads && connection.input.count > 0
        connection.messageDeadline = isPartial ? connection.messageDeadline ?? (now + limits.messageTime) : nil
        let patience = isStopping ? min(limits.stallTime, limits.farewellTime) : limits.stallTime
        connection.stallDeadline = connection.isBlocked ? connection.stallDeadline ?? (now + patience) : nil
        let isIdle = isQuiet && !isPartial && !connection.hasOutput
        if isIdle, let time = limits.idleTime {
            connection.idleDeadline = connection.idleDeadline ?? (now + time)
        } else {
            connection.idleDeadline = nil
        }
        nextSweep = min(nextSweep, connection.deadline)
    }

    /// Closes a connection's socket and tells its handlers.
    func disconnect(_ connection: Connection, _ reason: CloseReason) {
        let descriptor = connection.descriptor
        poller.remove(descriptor)
        connection.descriptor = -1
        let peer = connection.channel.peer
        let ofUser = clientsOfUser[peer.uid, default: 1] - 1
        clientsOfUser[peer.uid] = ofUser > 0 ? ofUser : nil
        parts.ledger.update { statistics in
            statistics.clients -= 1
            switch reason {
            case .tooSlow, .stalled: statistics.closedSlow += 1
            case .malformed: statistics.closedMalformed += 1
            default: break
            }
        }
        connection.channel.close(reason)
        // Last, so that the client does not see the end before the handlers and the figures do.
        Glibc.close(descriptor)
        parts.observer?(.closed(connection: connection.channel.id, peer, reason))
    }

    /// Ends a connection.
    func close(_ connection: Connection, _ reason: CloseReason) {
        connections[connection.channel.id] = nil
        if !connection.isGone { disconnect(connection, reason) }
    }
}
