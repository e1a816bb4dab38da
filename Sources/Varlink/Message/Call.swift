/// A method call (varlink.org, Method Call).
public struct Call: Sendable, Hashable {
    /// The method's full name, `<interface>.<Method>`.
    public var method: String
    /// The input parameters.
    public var parameters: JSONObject
    /// Whether the server must not reply at all, not even with an error.
    public var oneway: Bool
    /// Whether the client takes more than one reply.
    public var more: Bool
    /// Whether the client asks to leave the protocol after the reply. This library never does.
    public var upgrade: Bool

    /// A call.
    public init(
        _ method: String, _ parameters: JSONObject = [:], oneway: Bool = false, more: Bool = false,
        upgrade: Bool = false
    ) {
        self.method = method
        self.parameters = parameters
        self.oneway = oneway
        self.more = more
        self.upgrade = upgrade
    }

    /// Reads a message's text, without its NUL.
    ///
    /// Flags that are false and parameters that are null count as missing. Every key must be one of the protocol's.
    /// - Throws: ``MessageError``.
    public init(
        parsing bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = JSON.defaultMaximumDepth
    ) throws(MessageError) {
        let envelope = try Envelope.parse(bytes, maximumDepth: maximumDepth)
        var method: String?
        self.init("")
        for index in envelope.indices {
            let (key, value) = envelope[index]
            switch key {
            case "method":
                guard case .string(let name) = value else { throw .wrongKind(key: key, kind: value.kind) }
                method = name
            case "parameters": parameters = try Envelope.parameters(value)
            case "oneway": oneway = try Envelope.flag(key, value)
            case "more": more = try Envelope.flag(key, value)
            case "upgrade": upgrade = try Envelope.flag(key, value)
            default: throw .unknownKey(key)
            }
        }
        guard let method else { throw .missingKey("method") }
        if more, oneway { throw .conflict("more", "oneway") }
        self.method = method
    }

    /// The message on the wire, its NUL included. Keys that say nothing are left out.
    public var message: [UInt8] {
        var envelope: JSONObject = ["method": .string(method)]
        if !parameters.isEmpty { envelope["parameters"] = .object(parameters) }
        if oneway { envelope["oneway"] = true }
        if more { envelope["more"] = true }
        if upgrade { envelope["upgrade"] = true }
        return Envelope.encode(envelope)
    }

    /// The part of the method's name before the last dot; nil where there is none.
    public var interface: String? {
        method.lastIndex(of: ".").map { String(method[..<$0]) }
    }

    /// The part of the method's name after the last dot.
    public var member: String {
        guard let dot = method.lastIndex(of: ".") else { return method }
        return String(method[method.index(after: dot)...])
    }
}
