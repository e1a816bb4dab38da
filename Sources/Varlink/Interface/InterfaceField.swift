/// A field of a structure, or a parameter of a method or an error.
public struct InterfaceField: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The type.
    public var type: InterfaceType
    /// The comment above it, without the `#`s; lines are separated by line feeds. Empty where there is none.
    public var documentation: String

    /// A field.
    public init(_ name: String, _ type: InterfaceType, documentation: String = "") {
        self.name = name
        self.type = type
        self.documentation = documentation
    }
}
