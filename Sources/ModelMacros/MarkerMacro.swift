import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Transient`, `@Attribute` and `@Relationship`: `@Model` reads them, and they expand to nothing.
enum MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

/// `#Unique` and `#Index`: `@Model` reads them, and they expand to nothing.
enum SchemaDeclarationMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}

/// `@ModelActor`: an actor with a container and a context of its own.
enum ModelActorMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let access = declaration.modifiers.contains { $0.name.text == "public" } ? "public " : ""
        return [
            "\(raw: access)nonisolated let modelContainer: ModelStack.ModelContainer",
            "\(raw: access)let modelContext: ModelStack.ModelContext",
            """
            \(raw: access)init(modelContainer: ModelStack.ModelContainer) {
                self.modelContainer = modelContainer
                self.modelContext = ModelStack.ModelContext(modelContainer)
            }
            """,
        ]
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        [try ExtensionDeclSyntax("extension \(type.trimmed): ModelStack.ModelActor {}")]
    }
}
