/// Where a server listens.
public struct ClientAddress: Sendable, Hashable {
    /// The socket's path, or `@` and an abstract name.
    public let path: String

    /// Reads `unix:PATH` or `unix:@abstract`, or a path with a slash in it. Properties after a `;` are ignored behind
    /// `unix:`. A path that does not begin with a slash is looked for from the working directory on.
    /// - Throws: ``ClientError/badAddress(_:)``, ``ClientError/pathTooLong(_:limit:)``.
    public init(_ address: String) throws(ClientError) {
        var rest = address[...]
        let hasScheme = rest.hasPrefix("unix:")
        if hasScheme {
            rest = rest.dropFirst("unix:".count)
            rest = rest.prefix { $0 != ";" }
        }
        // `tcp:…` and `exec:/…` are addresses of other kinds.
        let isPath = rest.contains("/") && !rest.prefix { $0 != "/" }.contains(":") && !rest.hasPrefix("@")
        guard isPath || hasScheme, !rest.isEmpty, rest != "@" else { throw .badAddress(address) }
        guard rest.utf8.count <= UnixAddress.maximumPathBytes else {
            throw .pathTooLong(String(rest), limit: UnixAddress.maximumPathBytes)
        }
        guard UnixAddress(String(rest)) != nil else { throw .badAddress(address) }
        path = String(rest)
    }
}
