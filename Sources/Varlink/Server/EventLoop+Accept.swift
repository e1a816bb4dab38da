import CEpoll
import Glibc

extension EventLoop {
    func watchListeners() {
        acceptAgain = nil
        for (index, listener) in parts.listeners.enumerated() {
            poller.add(listener.descriptor, Poller.input, token: UInt64(index) + 1)
        }
    }

    func accept(from index: Int) {
        guard !isStopping, parts.listeners.indices.contains(index) else { return }
        let listener = parts.listeners[index]
        // Bounded, so that a flood of connections leaves time for those that are there.
        for _ in 0..<64 {
            let descriptor = coexist_accept(listener.descriptor)
            if descriptor >= 0 {
                welcome(descriptor)
                continue
            }
            let code = errno
            switch code {
            case EAGAIN: return
            case EINTR, ECONNABORTED: continue
            default:
                parts.observer?(.acceptFailed(SystemError("accept", code: code)))
                if code == EMFILE || code == ENFILE, turnAwayWithSpare(listener) { continue }
                // The listener stays readable: without a pause the loop would spin.
                for listener in parts.listeners { poller.remove(listener.descriptor) }
                let time = MonotonicTime.now + .milliseconds(100)
                acceptAgain = time
                nextSweep = min(nextSweep, time)
                return
            }
        }
    }

    /// Takes a connection with the spare descriptor only to close it: else it would wait for ever, and the listener
    /// would stay readable.
    private func turnAwayWithSpare(_ listener: Listener) -> Bool {
        guard spare >= 0 else { return false }
        Glibc.close(spare)
        let descriptor = coexist_accept(listener.descriptor)
        if descriptor >= 0 { Glibc.close(descriptor) }
        spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
        return descriptor >= 0
    }

    private func welcome(_ descriptor: Int32) {
        guard let peer = Peer(socket: descriptor) else {
            parts.observer?(.acceptFailed(SystemError("getsockopt", code: errno)))
            Glibc.close(descriptor)
            return
        }
        let ofUser = clientsOfUser[peer.uid, default: 0]
        guard connections.count < limits.clients, ofUser < limits.clientsPerUser else {
            Glibc.close(descriptor)
            parts.ledger.update { $0.refused += 1 }
            parts.observer?(.refused(peer))
            return
        }
        let id = nextConnection
        nextConnection += 1
        let channel = Channel(id: id, peer: peer, limit: limits.queuedBytes, mailbox: parts.mailbox)
        let connection = Connection(channel, descriptor: descriptor, maximumMessageBytes: limits.messageBytes)
        guard poller.add(descriptor, Poller.input, token: id) else {
            parts.observer?(.acceptFailed(SystemError("epoll_ctl", code: errno)))
            Glibc.close(descriptor)
            return
        }
        connections[id] = connection
        clientsOfUser[peer.uid] = ofUser + 1
        parts.ledger.update {
            $0.accepted += 1
            $0.clients += 1
        }
        parts.observer?(.connected(connection: id, peer))
        settle(connection)
    }
}
