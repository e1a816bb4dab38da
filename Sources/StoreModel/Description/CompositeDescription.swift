/// A composite as a model's source declares it: elements that several attributes share by its name.
public struct CompositeDescription: Sendable, Hashable {
    /// The composite's name.
    public var name: String
    /// The elements, in declared order.
    public var elements: [AttributeDescription]

    /// Makes a composite.
    public init(name: String, elements: [AttributeDescription]) {
        self.name = name
        self.elements = elements
    }
}
