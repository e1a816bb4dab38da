@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntax
import SwiftSyntaxMacros

struct UnknownMacro: Error {
    let name: String
}

/// Finds a macro's implementation by the name in its `#externalMacro` declaration.
struct MacroProvider: PluginProvider {
    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        switch typeName {
        case "ModelMacro": ModelMacro.self
        case "PersistedPropertyMacro": PersistedPropertyMacro.self
        case "MarkerMacro": MarkerMacro.self
        case "SchemaDeclarationMacro": SchemaDeclarationMacro.self
        case "ModelActorMacro": ModelActorMacro.self
        default: throw UnknownMacro(name: "\(moduleName).\(typeName)")
        }
    }
}

@main
struct ModelMacrosPlugin {
    static func main() throws {
        let connection = try StandardIOMessageConnection()
        let listener = CompilerPluginMessageListener(connection: connection, provider: MacroProvider())
        try listener.main()
    }
}
