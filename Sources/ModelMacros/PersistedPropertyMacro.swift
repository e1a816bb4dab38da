import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Turns a stored property of a model into one whose value is in the object's backing.
enum PersistedPropertyMacro {
    private static func index(_ node: AttributeSyntax) -> String {
        node.arguments?.trimmedDescription ?? "0"
    }
}

extension PersistedPropertyMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = StoredProperty(declaration) else { return [] }
        let name = property.name
        let suffix = property.isTransformable ? "Transformed" : ""
        return [
            """
            @storageRestrictions(accesses: _$backing, initializes: _\(raw: name))
            init(initialValue) {
                _$backing.initialize\(raw: suffix)(\(raw: index(node)), to: initialValue)
                _\(raw: name) = ModelStack._PersistedMark()
            }
            """,
            """
            get {
                _$backing.access(self, \\.\(raw: name))
                return _$backing.get\(raw: suffix)(\(raw: index(node)))
            }
            """,
            """
            set {
                _$backing.willSet(self, \\.\(raw: name))
                _$backing.set\(raw: suffix)(\(raw: index(node)), to: newValue)
                _$backing.didSet(self, \\.\(raw: name))
            }
            """,
        ]
    }
}

extension PersistedPropertyMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = StoredProperty(declaration) else { return [] }
        return ["@ModelStack.Transient private var _\(raw: property.name): ModelStack._PersistedMark"]
    }
}
