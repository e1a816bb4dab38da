/// Lays out an interface description as text.
enum InterfacePrinter {
    private static let width = 80

    static func print(_ interface: InterfaceDescription) -> String {
        var text = comment(interface.documentation, indent: "")
        text += "interface \(interface.name)\n"
        for member in interface.members {
            text += "\n" + comment(member.documentation, indent: "")
            switch member.declaration {
            case .type(let type): text += fitted("type \(member.name) ", type)
            case .error(let fields): text += fitted("error \(member.name) ", .structure(fields))
            case .method(let input, let output):
                let head = fitted("method \(member.name)", .structure(input))
                let lastLine = head.split(separator: "\n").last.map(String.init) ?? ""
                let inline = "\(lastLine) -> \(line(.structure(output)))"
                text += head + " -> "
                text += fits(inline, .structure(output)) ? line(.structure(output)) : block(.structure(output), "")
            }
            text += "\n"
        }
        return text
    }

    /// The type behind its head, on one line where that fits, else a field a line.
    private static func fitted(_ head: String, _ type: InterfaceType) -> String {
        let inline = head + line(type)
        return fits(inline, type) ? inline : head + block(type, "")
    }

    private static func fits(_ text: String, _ type: InterfaceType) -> Bool {
        text.count <= width && !isDocumented(type)
    }

    private static func isDocumented(_ type: InterfaceType) -> Bool {
        switch type {
        case .structure(let fields): fields.contains { !$0.documentation.isEmpty || isDocumented($0.type) }
        case .array(let type), .map(let type), .optional(let type): isDocumented(type)
        default: false
        }
    }

    private static func line(_ type: InterfaceType) -> String {
        switch type {
        case .bool: "bool"
        case .int: "int"
        case .float: "float"
        case .string: "string"
        case .object: "object"
        case .named(let name): name
        case .enumeration(let words): "(\(words.joined(separator: ", ")))"
        case .structure(let fields):
            "(\(fields.map { "\($0.name): \(line($0.type))" }.joined(separator: ", ")))"
        case .array(let type): "[]\(line(type))"
        case .map(let type): "[string]\(line(type))"
        case .optional(let type): "?\(line(type))"
        }
    }

    private static func block(_ type: InterfaceType, _ indent: String) -> String {
        let inner = indent + "  "
        switch type {
        case .structure(let fields) where !fields.isEmpty:
            let lines = fields.map { field in
                let head = "\(inner)\(field.name): "
                let inline = head + line(field.type)
                let body = fits(inline, field.type) ? inline : head + block(field.type, inner)
                return comment(field.documentation, indent: inner) + body
            }
            return "(\n\(lines.joined(separator: ",\n"))\n\(indent))"
        case .enumeration(let words):
            return "(\n\(words.map { inner + $0 }.joined(separator: ",\n"))\n\(indent))"
        case .array(let type): return "[]\(block(type, indent))"
        case .map(let type): return "[string]\(block(type, indent))"
        case .optional(let type): return "?\(block(type, indent))"
        default: return line(type)
        }
    }

    private static func comment(_ text: String, indent: String) -> String {
        guard !text.isEmpty else { return "" }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? "\(indent)#\n" : "\(indent)# \($0)\n" }.joined()
    }
}
