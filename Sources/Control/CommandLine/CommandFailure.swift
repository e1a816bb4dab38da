import Foundation
import StoreFormat
import StoreModel
import Varlink

/// Why a command ended without success, with the exit code that says so.
struct CommandFailure: Error {
    /// 1 refused or found something wrong, 2 wrong usage or configuration, 3 no daemon reachable, 4 the store cannot be
    /// opened, 5 access denied.
    var exitCode: Int32
    /// The error's name for scripts.
    var code: String
    var message: String
    var way: String
    var details: JSON = [:]

    static func usage(_ message: String, _ way: String) -> CommandFailure {
        CommandFailure(exitCode: 2, code: "Usage", message: message, way: way)
    }

    /// The failure that an error means. `opening`: whether it came while a store was opened.
    init(_ error: any Error, opening: Bool = false) {
        switch error {
        case let error as CommandFailure: self = error
        case let error as StoreError:
            let objects = error.objects.map { offence -> JSON in
                ["object": .string("\(offence.object)"), "reason": .string(offence.reason)]
            }
            self.init(
                exitCode: Self.exitCode(error.code.rawValue, opening: opening),
                code: error.code.rawValue,
                message: error.message, way: error.way, details: objects.isEmpty ? [:] : ["objects": .array(objects)])
        case let error as ModelError:
            self.init(exitCode: 4, code: "ModelUnreadable", message: "\(error)", way: "give a model that can be read")
        case let error as ConfigurationError:
            self.init(exitCode: 2, code: "BadConfiguration", message: "\(error.path): \(error.message)", way: error.way)
        case let error as PredicateSyntaxError:
            self.init(exitCode: 1, code: "BadPredicate", message: "\(error)", way: "write it in NSPredicate's format")
        case let error as ListenerError:
            self.init(
                exitCode: 2, code: "BadSocket", message: "\(error)", way: Self.way(of: error))
        case let error as ClientError: self.init(client: error)
        default: self.init(exitCode: 1, code: "Failed", message: "\(error)", way: "")
        }
    }

    init(exitCode: Int32, code: String, message: String, way: String, details: JSON = [:]) {
        self.exitCode = exitCode
        self.code = code
        self.message = message
        self.way = way
        self.details = details
    }

    private init(client error: ClientError) {
        if case .remote(let name, let parameters) = error {
            let code = name.split(separator: ".").last.map(String.init) ?? name
            let objects = parameters["objects"] ?? []
            var details: JSONObject = [:]
            if objects.arrayValue?.isEmpty == false { details["objects"] = objects }
            let parameter = parameters["parameter"]?.stringValue.map { "the parameter \($0) is wrong" }
            self.init(
                exitCode: Self.exitCode(code, opening: false), code: code,
                message: parameters["message"]?.stringValue ?? parameter ?? name,
                way: parameters["way"]?.stringValue ?? "", details: .object(details))
            return
        }
        switch error {
        case .badAddress, .pathTooLong:
            self.init(
                exitCode: 2, code: "BadSocket", message: "\(error)",
                way: "give a shorter path, such as one from the working directory on: --socket PATH")
            return
        default: break
        }
        if case .notReachable(let path, EACCES) = error {
            self.init(
                exitCode: 5, code: "AccessDenied", message: "the socket \(path) may not be connected to",
                way: "ask to be put into the socket's group")
            return
        }
        self.init(
            exitCode: 3, code: "Unreachable", message: "\(error)",
            way: "start the daemon, or give its socket: --socket PATH")
    }

    private static func way(of error: ListenerError) -> String {
        switch error {
        case .badPath: "give a shorter path: --socket PATH, or socket in the configuration"
        case .inUse: "give another socket, or end who has it"
        case .notASocket: "give another path, or remove what is there"
        case .notListening: "see the socket's unit"
        case .system: "check that the folder is there and may be written"
        }
    }

    private static func exitCode(_ code: String, opening: Bool) -> Int32 {
        let cannotOpen: Set<String> = [
            "NotFound", "NotADatabase", "Encrypted", "Empty", "Damaged", "NotAStore", "TooOld", "ModelMissing",
            "ModelUnreadable", "MetadataUnreadable", "SchemaMismatch", "StaleLog", "HardLinked",
        ]
        // Whether a file may not be read or a role is missing: who is denied needs other rights, not another store.
        if code == "AccessDenied" || code == "PermissionDenied" { return 5 }
        if code == "BadConfiguration" { return 2 }
        return cannotOpen.contains(code) || opening ? 4 : 1
    }
}
