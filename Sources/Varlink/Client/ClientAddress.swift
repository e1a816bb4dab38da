/// Where a server listens.
public struct ClientAddress: Sendable, Hashable {
    /// The socket's path, or `@` and an abstract name.
    public let path: String

    /// Reads `unix:/path`, `unix:./path`, `unix:@abstract`, `/path` or `./path`. Properties after a `;` are ignored.
    /// - Throws: ``ClientError/badAddress(_:)``.
    public init(_ address: String) throws(ClientError) {
        var rest = address[...]
        let hasScheme = rest.hasPrefix("unix:")
        if hasScheme {
            rest = rest.dropFirst("unix:".count)
            rest = rest.prefix { $0 != ";" }
        }
        let isPath = rest.hasPrefix("/") || rest.hasPrefix("./") || rest.hasPrefix("../")
        guard isPath || (hasScheme && rest.hasPrefix("@")), UnixAddress(String(rest)) != nil else {
            throw .badAddress(address)
        }
        path = String(rest)
    }
}
