/// A member of an interface description.
public struct InterfaceMember: Sendable, Hashable {
    /// What a member declares.
    public enum Declaration: Sendable, Hashable {
        /// A type: a structure or an enumeration.
        case type(InterfaceType)
        /// A method with its input and its output.
        case method(input: [InterfaceField], output: [InterfaceField])
        /// An error with its parameters.
        case error([InterfaceField])
    }

    /// The name, without the interface's.
    public var name: String
    /// What it declares.
    public var declaration: Declaration
    /// The comment above it, without the `#`s; lines are separated by line feeds. Empty where there is none.
    public var documentation: String

    /// A member.
    public init(_ name: String, _ declaration: Declaration, documentation: String = "") {
        self.name = name
        self.declaration = declaration
        self.documentation = documentation
    }
}
