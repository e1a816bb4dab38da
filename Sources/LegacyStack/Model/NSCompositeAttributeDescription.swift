import StoreModel

/// An attribute that is made of others, its elements, which are stored in its stead.
open class NSCompositeAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    // Sendable for the reason that NSPropertyDescription gives.
    private var list: [NSAttributeDescription] = [] { willSet { checkMutable() } }

    override public init() {
        super.init()
        attributeType = .compositeAttributeType
    }

    convenience init(composite attribute: AttributeDescription) {
        self.init(attribute)
        list = attribute.elements.map { NSAttributeDescription.make($0) }
    }

    /// The elements, in the order of their columns.
    public var elements: [NSAttributeDescription] {
        get { list }
        set { list = newValue }
    }

    override var isFrozen: Bool {
        didSet { for element in list { element.isFrozen = isFrozen } }
    }

    override var attribute: AttributeDescription {
        var result = super.attribute
        result.elements = list.map(\.attribute)
        return result
    }
}
