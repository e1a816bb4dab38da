import Varlink

/// Answers a call with many replies at its client's pace: a batch is made when most of those before have been read, so that
/// a client that reads slowly, or not at all, costs one batch of memory, and no thread.
struct PacedReplies: Sendable {
    /// Some replies, and how to make those after them.
    struct Batch {
        var replies: [JSONObject]
        /// Nil with the last ones. Called once, on a thread of the queue.
        var next: (@Sendable () throws -> Batch)?
    }

    let call: IncomingCall
    let queue: RequestQueue

    /// Sends a batch and sees to those after it; an error ends the call.
    func send(_ make: @Sendable () throws -> Batch) {
        do {
            let batch = try make()
            guard let next = batch.next else {
                for reply in batch.replies.dropLast() { guard call.sendPaced(reply) else { return } }
                call.reply(batch.replies.last ?? [:])
                return
            }
            for reply in batch.replies { guard call.sendPaced(reply) else { return } }
            call.whenWritable { isOpen in
                if isOpen { queue.run { send(next) } }
            }
        } catch {
            let reply = ErrorReply.of(error)
            call.fail(reply.name, reply.parameters)
        }
    }
}
