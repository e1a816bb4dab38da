/// The description of an interface: its types, methods and errors (varlink.org, Interface Definition).
public struct InterfaceDescription: Sendable, Hashable {
    /// The name in reverse-domain form, such as `org.example.ping`.
    public let name: String
    /// The comment above the interface, without the `#`s; lines are separated by line feeds.
    public let documentation: String
    /// The members, in order.
    public let members: [InterfaceMember]
    /// The text that a client gets: what was parsed, verbatim.
    public let text: String
    private let positions: [String: Int]

    /// Parses a description.
    ///
    /// Every type that is named must be declared, and no member twice.
    /// - Throws: ``InterfaceError`` with the line of the fault.
    public init(parsing text: String) throws(InterfaceError) {
        var parser = InterfaceParser(text)
        let parsed = try parser.parse()
        self.name = parsed.name
        self.documentation = parsed.documentation
        self.members = parsed.members
        self.text = text
        self.positions = parser.positions
    }

    /// The member of that name.
    public func member(_ name: String) -> InterfaceMember? {
        positions[name].map { members[$0] }
    }

    /// The input of a method; nil where there is no method of that name.
    public func input(ofMethod name: String) -> [InterfaceField]? {
        guard case .method(let input, _) = member(name)?.declaration else { return nil }
        return input
    }

    /// The output of a method; nil where there is no method of that name.
    public func output(ofMethod name: String) -> [InterfaceField]? {
        guard case .method(_, let output) = member(name)?.declaration else { return nil }
        return output
    }

    /// The parameters of an error; nil where there is no error of that name.
    public func parameters(ofError name: String) -> [InterfaceField]? {
        guard case .error(let parameters) = member(name)?.declaration else { return nil }
        return parameters
    }

    /// The text in this library's own layout: it parses to the same description.
    public var normalizedText: String {
        InterfacePrinter.print(self)
    }
}
