import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@Model`: gives a class its backing, its metadata and the conformance to `PersistentModel`.
enum ModelMacro {
    /// What cannot be a model, said where it is written.
    struct Problem: DiagnosticMessage, Error {
        let message: String
        var diagnosticID: MessageID { MessageID(domain: "ModelMacros", id: "model") }
        var severity: DiagnosticSeverity { .error }
    }
}

extension ModelMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = declaration.as(ClassDeclSyntax.self) else {
            context.diagnose(
                Diagnostic(node: Syntax(node), message: Problem(message: "@Model can only be attached to a class")))
            return []
        }
        if let generics = type.genericParameterClause {
            context.diagnose(
                Diagnostic(node: Syntax(generics), message: Problem(message: "a @Model class cannot be generic")))
            return []
        }
        let name = type.name.trimmedDescription
        let properties = StoredProperty.persisted(declaration)
        let access = type.modifiers.contains { ["public", "open"].contains($0.name.text) } ? "public " : ""
        let metadata = properties.map { property in
            var arguments = "name: \"\(property.name)\", keyPath: \\\(name).\(property.name)"
            if let value = property.defaultValue, Self.isLiteral(value) { arguments += ", defaultValue: \(value)" }
            if let value = property.defaultValue, property.relationship == nil, value != "nil" {
                arguments += ", absent: { \(value) }"
            }
            if let text = property.relationship {
                arguments += ", metadata: ModelStack.Schema.Relationship(\(text))"
            } else if let text = property.attribute {
                arguments += ", metadata: ModelStack.Schema.Attribute(\(text))"
            }
            return "ModelStack.Schema.PropertyMetadata(\(arguments))"
        }
        let marks = properties.map { "self._\($0.name) = ModelStack._PersistedMark()" }.joined(separator: "\n    ")
        let constraints = Self.schemaDeclarations(declaration)
        return [
            """
            @ModelStack.Transient
            \(raw: access)var _$backing: ModelStack.ModelBacking = ModelStack.ModelBacking.make(\(raw: name).self)
            """,
            """
            \(raw: access)nonisolated static let _$shape = ModelStack.ModelShape(\(raw: name).self)
            """,
            """
            \(raw: access)static var schemaMetadata: [ModelStack.Schema.PropertyMetadata] {
                [
                    \(raw: metadata.joined(separator: ",\n        "))
                ]
            }
            """,
            """
            \(raw: access)static var _$schemaDeclarations: [ModelStack.Schema._Declaration] {
                [\(raw: constraints.joined(separator: ", "))]
            }
            """,
            """
            \(raw: access)required init(_$materializing backing: ModelStack.ModelBacking) {
                \(raw: marks)
            }
            """,
        ]
    }

    private static func isLiteral(_ text: String) -> Bool {
        if ["true", "false"].contains(text) { return true }
        if text.hasPrefix("\""), text.hasSuffix("\""), !text.contains("\\(") { return true }
        let digits = text.drop { $0 == "-" }
        return digits.first?.isNumber == true && digits.allSatisfy { $0.isNumber || $0 == "." || $0 == "_" }
    }

    /// `#Unique` and `#Index` among the members.
    private static func schemaDeclarations(_ declaration: some DeclGroupSyntax) -> [String] {
        declaration.memberBlock.members.compactMap { member in
            guard let expansion = member.decl.as(MacroExpansionDeclSyntax.self) else { return nil }
            let name = expansion.macroName.text
            guard name == "Unique" || name == "Index" else { return nil }
            let generic = expansion.genericArgumentClause?.trimmedDescription ?? ""
            return "ModelStack.Schema.\(name)\(generic)(\(expansion.arguments.trimmedDescription))._declaration"
        }
    }
}

extension ModelMacro: MemberAttributeMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let property = StoredProperty(member), property.isPersisted else { return [] }
        let names = StoredProperty.persisted(declaration).map(\.name)
        guard let index = names.firstIndex(of: property.name) else { return [] }
        return ["@ModelStack._PersistedProperty(\(raw: index))"]
    }
}

extension ModelMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(ClassDeclSyntax.self) else { return [] }
        return [
            try ExtensionDeclSyntax("extension \(type.trimmed): ModelStack.PersistentModel, Observation.Observable {}")
        ]
    }
}
