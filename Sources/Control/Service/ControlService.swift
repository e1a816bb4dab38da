import Bridge
import Foundation
import StoreFormat
import Synchronization
import Systemd
import Varlink

/// Answers the control interface's calls with a bridge.
final class ControlService: Sendable {
    private let requests: Requests
    private let queue = RequestQueue(label: "org.coexistd.requests")
    private let policy: AccessPolicy
    private let log: Log
    private let reload: @Sendable (_ user: String) throws -> [String]
    private let stop: @Sendable () -> Void
    private let clients: @Sendable () -> Int

    init(
        bridge: StoreBridge, access: Configuration.Access, log: Log, clients: @escaping @Sendable () -> Int,
        reload: @escaping @Sendable (_ user: String) throws -> [String], stop: @escaping @Sendable () -> Void
    ) {
        requests = Requests(bridge: bridge)
        policy = AccessPolicy(access: access)
        self.log = log
        self.clients = clients
        self.reload = reload
        self.stop = stop
    }

    /// What is measured, as OpenMetrics text.
    func metrics() throws -> String { try requests.metrics(clients: clients()) }

    /// Waits for running requests. Returns false if they took longer.
    func drain(seconds: Double) -> Bool { queue.drain(seconds: seconds) }

    /// Takes a call on the server's thread, and answers it from another.
    func handle(_ call: IncomingCall) {
        let method = call.call.member
        guard let role = policy.role(of: call.peer), role >= Role.needed(for: method, call.parameters) else {
            log(.warning, "\(method) was refused to user \(call.peer.uid)")
            call.fail(
                "\(ControlInterface.name).AccessDenied",
                [
                    "message": .string("user \(call.peer.uid) may not call \(method)"),
                    "way": "ask for a role in the configuration's access section", "objects": [],
                ])
            return
        }
        // On the server's thread, so that no stop comes in between.
        let cancellation = ["Handover", "Compare"].contains(method) ? cancellation(by: call) : Cancellation()
        queue.run { self.answer(method, call, cancellation) }
    }

    /// What takes long is called off when its client goes, or the daemon stops. Of a oneway call nobody waits for the answer.
    private func cancellation(by call: IncomingCall) -> Cancellation {
        let cancellation = Cancellation()
        if !call.call.oneway { call.onClose { _ in cancellation.cancel("its client has gone") } }
        call.onStop { cancellation.cancel("the daemon stops") }
        return cancellation
    }

    private func answer(_ method: String, _ call: IncomingCall, _ cancellation: Cancellation) {
        do {
            try dispatch(method, call, cancellation)
        } catch {
            let reply = ErrorReply.of(requests.explained(error))
            call.fail(reply.name, reply.parameters)
        }
    }

    private func dispatch(_ method: String, _ call: IncomingCall, _ cancellation: Cancellation) throws {
        let parameters = call.parameters
        let user = UserName.of(call.peer.uid)
        switch method {
        case "Status": call.reply(try requests.status(state: "running", clients: clients()))
        case "Owners": call.reply(["owners": try requests.owners(withWrites: true)])
        case "Handover": try handover(parameters, call, cancellation)
        case "Handovers": call.reply(try requests.handovers(parameters))
        case "Freeze": call.reply(try requests.freeze(parameters, user: user))
        case "Thaw": call.reply(try requests.thaw(parameters, user: user))
        case "Compare":
            call.reply(
                try requests.compare(parameters, cancellation) { progress in
                    if call.call.more { call.send(progress) }
                })
        case "Fetch": try fetch(parameters, call)
        case "Count": call.reply(try requests.count(parameters))
        case "Get": call.reply(try requests.get(parameters))
        case "Insert": call.reply(try requests.insert(parameters))
        case "Update": call.reply(try requests.update(parameters))
        case "Delete": call.reply(try requests.delete(parameters))
        case "History": try history(parameters, call)
        case "Consumers": call.reply(try requests.consumers())
        case "AddConsumer": call.reply(try requests.addConsumer(parameters, user: user))
        case "Acknowledge": call.reply(try requests.acknowledge(parameters))
        case "RemoveConsumer": call.reply(try requests.removeConsumer(parameters, user: user))
        case "Prune": call.reply(try requests.prune(parameters, user: user))
        case "Caches": call.reply(try requests.caches())
        case "Metrics": call.reply(["text": .string(try requests.metrics(clients: clients()))])
        case "Invalidate":
            call.reply(try requests.invalidate(parameters))
            log(.notice, "cached rows were dropped, by \(user)")
        case "Replay": call.reply(try requests.replay(parameters))
        case "Checkpoint": call.reply(try requests.checkpoint())
        case "Backup":
            let reply = try requests.backup(parameters)
            log(.notice, "the store was copied to \(reply["file"]?.stringValue ?? ""), by \(user)")
            call.reply(reply)
        case "Verify": call.reply(try requests.verify())
        case "Reload": call.reply(["changed": .array(try reload(user).map { .string($0) })])
        case "Stop":
            log(.notice, "a stop was asked for, by \(user)")
            call.reply()
            stop()
        default: call.fail(.methodNotFound(call.call.method))
        }
    }

    private func handover(_ parameters: JSONObject, _ call: IncomingCall, _ cancellation: Cancellation) throws {
        // Each reply but the last is sent on, so one is always held back.
        var last: JSONObject = [:]
        func sendLast() {
            if !last.isEmpty, call.call.more { call.send(last) }
            last = [:]
        }
        do {
            try requests.handover(
                parameters, user: UserName.of(call.peer.uid), cancellation,
                send: { step in
                    sendLast()
                    last = step
                },
                progress: { state in
                    sendLast()
                    if call.call.more { call.send(state) }
                })
        } catch {
            sendLast()
            throw error
        }
        call.reply(last)
    }

    private func fetch(_ parameters: JSONObject, _ call: IncomingCall) throws {
        guard call.call.more else {
            call.reply(try requests.fetch(parameters))
            return
        }
        PacedReplies(call: call, queue: queue).send { try requests.fetchPages(parameters) }
    }

    private func history(_ parameters: JSONObject, _ call: IncomingCall) throws {
        let query = try requests.historyQuery(parameters)
        if parameters["follow"]?.boolValue == true {
            guard call.call.more else {
                call.fail(.expectedMore)
                return
            }
            HistoryFeed(query, requests: requests, call: call, queue: queue).start()
            return
        }
        guard call.call.more else {
            var first: JSONObject = [:]
            try requests.history(query) { transaction in
                first = transaction
                return false
            }
            call.reply(first)
            return
        }
        PacedReplies(call: call, queue: queue).send { try requests.historyPages(query) }
    }
}
