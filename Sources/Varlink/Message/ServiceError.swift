/// The errors of `org.varlink.service`, which every service may answer with.
public enum ServiceError: Error, Sendable, Hashable {
    /// The service has no such interface.
    case interfaceNotFound(String)
    /// The interface has no such method.
    case methodNotFound(String)
    /// The method is declared, but not there.
    case methodNotImplemented(String)
    /// A parameter is missing, unknown, or of the wrong type. Names the parameter, with a path into it where the
    /// fault lies deeper: `a.b`.
    case invalidParameter(String)
    /// The peer may not call this.
    case permissionDenied
    /// The method needs a call with `more`.
    case expectedMore

    /// The error as a reply.
    public var reply: Reply {
        switch self {
        case .interfaceNotFound(let name): make("InterfaceNotFound", ["interface": .string(name)])
        case .methodNotFound(let name): make("MethodNotFound", ["method": .string(name)])
        case .methodNotImplemented(let name): make("MethodNotImplemented", ["method": .string(name)])
        case .invalidParameter(let name): make("InvalidParameter", ["parameter": .string(name)])
        case .permissionDenied: make("PermissionDenied", [:])
        case .expectedMore: make("ExpectedMore", [:])
        }
    }

    private func make(_ name: String, _ parameters: JSONObject) -> Reply {
        Reply(error: "org.varlink.service.\(name)", parameters)
    }
}
