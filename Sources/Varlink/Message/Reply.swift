/// A reply to a call (varlink.org, Method Call).
public struct Reply: Sendable, Hashable {
    /// The output parameters, or the error's.
    public var parameters: JSONObject
    /// Whether more replies to the same call follow.
    public var continues: Bool
    /// The error's full name, `<interface>.<Error>`; nil where the call succeeded.
    public var error: String?

    /// A successful reply.
    public init(_ parameters: JSONObject = [:], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
    }

    /// An error.
    public init(error: String, _ parameters: JSONObject = [:]) {
        self.parameters = parameters
        self.continues = false
        self.error = error
    }

    /// Reads a message's text, without its NUL. Nulls count as missing.
    /// - Throws: ``MessageError``.
    public init(
        parsing bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int = JSON.defaultMaximumDepth
    ) throws(MessageError) {
        let envelope = try Envelope.parse(bytes, maximumDepth: maximumDepth)
        self.init()
        for index in envelope.indices {
            let (key, value) = envelope[index]
            switch key {
            case "parameters": parameters = try Envelope.parameters(value)
            case "continues": continues = try value.isNull ? false : Envelope.flag(key, value)
            case "error":
                if value.isNull { continue }
                guard case .string(let name) = value else { throw .wrongKind(key: key, kind: value.kind) }
                error = name
            default: throw .unknownKey(key)
            }
        }
        if error != nil, continues { throw .conflict("error", "continues") }
    }

    /// The message on the wire, its NUL included.
    ///
    /// Only `parameters`, `continues` and `error` are written, and none that says nothing: other implementations
    /// disconnect at an unknown key, a null error, or `error` with `continues`.
    public var message: [UInt8] {
        var envelope = JSONObject()
        if let error { envelope["error"] = .string(error) }
        if !parameters.isEmpty { envelope["parameters"] = .object(parameters) }
        if continues, error == nil { envelope["continues"] = true }
        return Envelope.encode(envelope)
    }
}
