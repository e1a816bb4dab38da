import StoreModel

/// An attribute that SQLite's triggers compute from others.
open class NSDerivedAttributeDescription: NSAttributeDescription, @unchecked Sendable {
    // Sendable for the reason that NSPropertyDescription gives.
    private var derivation: DerivationExpression? { willSet { checkMutable() } }
    private var filter: String? { willSet { checkMutable() } }

    override public init() {}

    convenience init(derived attribute: AttributeDescription) {
        self.init(attribute)
        derivation = attribute.derivation
        filter = attribute.derivation?.filteringPredicateFormat
    }

    /// What the value is computed from. The version hash takes it in the form that is set here: `pages.@count` and
    /// `count:(pages)` compute the same, but are two versions of a model (Format, section 9).
    public var derivationExpression: NSExpression? {
        get { derivation.map { NSExpression(format: $0.hashDescription) } }
        set { derivation = newValue?.derivation }
    }

    /// Which objects the derivation takes in; nil for all.
    public var filteringPredicate: NSPredicate? {
        get { filter.map { NSPredicate(format: $0) } }
        set { filter = newValue?.predicateFormat }
    }

    override public var isDerived: Bool { derivation != nil }

    override var attribute: AttributeDescription {
        var result = super.attribute
        result.derivation = derivation
        result.derivation?.filteringPredicateFormat = filter
        result.isReadOnly = result.isReadOnly || derivation != nil
        return result
    }
}
