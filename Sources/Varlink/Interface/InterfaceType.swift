/// A type of an interface description (varlink.org, Interface Definition).
public indirect enum InterfaceType: Sendable, Hashable {
    /// A boolean.
    case bool
    /// A whole number of 64 bits, signed or not.
    case int
    /// A number.
    case float
    /// Text.
    case string
    /// Any JSON object.
    case object
    /// A type that the interface declares.
    case named(String)
    /// One of these words, as a string.
    case enumeration([String])
    /// An object with these fields and no others.
    case structure([InterfaceField])
    /// `[]T`.
    case array(InterfaceType)
    /// `[string]T`: an object with any keys. `[string]()` is a set.
    case map(InterfaceType)
    /// `?T`: may be null or missing.
    case optional(InterfaceType)
}
