import SwiftSyntax

/// A stored property of a `@Model` class, as it is written.
struct StoredProperty {
    let name: String
    let declaration: VariableDeclSyntax
    let isTransient: Bool
    /// The arguments of `@Attribute(…)` and `@Relationship(…)`, as text; nil where the property has no such attribute.
    let attribute: String?
    let relationship: String?
    let defaultValue: String?

    var isPersisted: Bool { !isTransient }
    /// Whether a transformer stores it, so that its type need not be Codable.
    var isTransformable: Bool { attribute?.contains("transformable(") ?? false }

    /// The variable, where it is a stored instance property with a name of its own.
    init?(_ member: some DeclSyntaxProtocol) {
        guard let variable = member.as(VariableDeclSyntax.self), variable.bindingSpecifier.tokenKind == .keyword(.var),
            variable.bindings.count == 1, let binding = variable.bindings.first,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        for modifier in variable.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.static), .keyword(.class), .keyword(.lazy): return nil
            default: break
            }
        }
        if let accessors = binding.accessorBlock {
            guard case .accessors(let list) = accessors.accessors else { return nil }
            // Observers leave a property stored; anything else computes it.
            for accessor in list {
                switch accessor.accessorSpecifier.tokenKind {
                case .keyword(.willSet), .keyword(.didSet): break
                default: return nil
                }
            }
        }
        declaration = variable
        name = pattern.identifier.text.trimmingBackticks
        isTransient = Self.attribute("Transient", of: variable) != nil || name.hasPrefix("_$")
        attribute = Self.attribute("Attribute", of: variable).map(Self.arguments)
        relationship = Self.attribute("Relationship", of: variable).map(Self.arguments)
        defaultValue = binding.initializer.map { $0.value.trimmedDescription }
    }

    private static func attribute(_ name: String, of variable: VariableDeclSyntax) -> AttributeSyntax? {
        for element in variable.attributes {
            guard let attribute = element.as(AttributeSyntax.self) else { continue }
            let text = attribute.attributeName.trimmedDescription
            if text == name || text.hasSuffix(".\(name)") { return attribute }
        }
        return nil
    }

    private static func arguments(_ attribute: AttributeSyntax) -> String {
        attribute.arguments?.trimmedDescription ?? ""
    }

    /// The persisted properties of a class, in the order in which they are written.
    static func persisted(_ group: some DeclGroupSyntax) -> [StoredProperty] {
        group.memberBlock.members.compactMap { StoredProperty($0.decl) }.filter(\.isPersisted)
    }
}

extension String {
    fileprivate var trimmingBackticks: String {
        hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
    }
}
