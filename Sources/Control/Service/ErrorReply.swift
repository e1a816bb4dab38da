import StoreFormat
import StoreModel
import Varlink

/// Errors as the interface gives them to a client.
enum ErrorReply {
    /// The error's full name and parameters.
    static func of(_ error: any Error) -> (name: String, parameters: JSONObject) {
        switch error {
        case let error as StoreError:
            let offences = error.objects.prefix(1_000).map { offence -> JSON in
                [
                    "object": .string("\(offence.object)"),
                    "owner": offence.owner.map { .string($0.rawValue) } ?? .null,
                    "epoch": offence.epoch.map { .integer($0) } ?? .null,
                    "reason": .string(offence.reason),
                    "relationship": offence.relationship.map { .string($0) } ?? .null,
                    "rule": offence.rule.map { .string($0) } ?? .null,
                ]
            }
            return make(error.code.rawValue, error.message, error.way, Array(offences))
        case let error as ConfigurationError:
            return make("BadConfiguration", "\(error.path): \(error.message)", error.way)
        case let error as PredicateSyntaxError:
            return make("BadPredicate", "\(error)", "write the predicate in NSPredicate's format")
        case let error as ModelError:
            return make("ModelUnreadable", "\(error)", "give a model that can be read")
        default:
            return make("Damaged", "\(error)", "see the daemon's log")
        }
    }

    /// The answer to what is no message of the protocol.
    static func of(_ error: MessageError) -> Reply {
        let (name, parameters) =
            switch error {
            case .tooLong(let limit):
                make(
                    "MessageTooLong", "the message is longer than \(limit) bytes",
                    "send less at once, or raise limits.messageBytes in the daemon's configuration")
            case .notInTime:
                make("MalformedMessage", "the message was \(error)", "end each message with a NUL byte")
            case .incomplete:
                make("MalformedMessage", "the message is incomplete: \(error)", "end each message with a NUL byte")
            default:
                make(
                    "MalformedMessage", "this is no call: \(error)",
                    "send a JSON object with method and parameters, and a NUL byte behind it")
            }
        return Reply(error: name, parameters)
    }

    private static func make(
        _ code: String, _ message: String, _ way: String, _ objects: [JSON] = []
    ) -> (name: String, parameters: JSONObject) {
        (
            "\(ControlInterface.name).\(code)",
            ["message": .string(message), "way": .string(way), "objects": .array(objects)]
        )
    }
}
