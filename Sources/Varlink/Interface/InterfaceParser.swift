/// Parses the text of an interface description.
struct InterfaceParser {
    struct Parsed {
        var name: String
        var documentation: String
        var members: [InterfaceMember]
    }

    private var lexer: InterfaceLexer
    private var depth = 0
    /// Each type that is used by name, with the line of its first use.
    private var used: [String: Int] = [:]
    /// Where each member stands in the list.
    private(set) var positions: [String: Int] = [:]

    init(_ text: String) {
        lexer = InterfaceLexer(text)
    }

    mutating func parse() throws(InterfaceError) -> Parsed {
        lexer.skip()
        let documentation = lexer.comment.joined(separator: "\n")
        guard lexer.takeWord([]) == "interface" else { throw error("expected `interface`") }
        let name = lexer.takeWord([UInt8(ascii: "."), UInt8(ascii: "-")])
        guard InterfaceNames.isInterface(name) else { throw error("`\(name)` is no interface name") }
        var members: [InterfaceMember] = []
        while !lexer.isAtEnd {
            let member = try parseMember()
            guard positions.updateValue(members.count, forKey: member.name) == nil else {
                throw error("`\(member.name)` is declared twice")
            }
            members.append(member)
        }
        for (type, line) in used.sorted(by: { $0.value < $1.value }) {
            guard let position = positions[type], case .type = members[position].declaration else {
                throw InterfaceError("the type `\(type)` is not declared", line: line)
            }
        }
        return Parsed(name: name, documentation: documentation, members: members)
    }

    private func error(_ message: String) -> InterfaceError {
        InterfaceError(message, line: lexer.line)
    }

    private mutating func parseMember() throws(InterfaceError) -> InterfaceMember {
        let documentation = lexer.comment.joined(separator: "\n")
        let keyword = lexer.takeWord([])
        guard ["type", "method", "error"].contains(keyword) else {
            throw error("expected `type`, `method` or `error`")
        }
        let name = lexer.takeWord([])
        guard InterfaceNames.isMember(name) else { throw error("`\(name)` is no name of a member") }
        let declaration: InterfaceMember.Declaration
        switch keyword {
        case "type":
            let type = try parseParenthesised()
            declaration = .type(type)
        case "method":
            let input = try parseFields()
            guard lexer.take("->") else { throw error("expected `->`") }
            declaration = .method(input: input, output: try parseFields())
        default: declaration = .error(try parseFields())
        }
        return InterfaceMember(name, declaration, documentation: documentation)
    }

    private mutating func parseFields() throws(InterfaceError) -> [InterfaceField] {
        guard case .structure(let fields) = try parseParenthesised() else { throw error("expected `name: type`") }
        return fields
    }

    /// A structure `(a: T, b: T)` or an enumeration `(a, b)`; `()` is a structure without fields.
    private mutating func parseParenthesised() throws(InterfaceError) -> InterfaceType {
        guard lexer.take("(") else { throw error("expected `(`") }
        if lexer.take(")") { return .structure([]) }
        var fields: [InterfaceField] = []
        var words: [String] = []
        repeat {
            let documentation = lexer.comment.joined(separator: "\n")
            let name = lexer.takeWord([UInt8(ascii: "_")])
            guard InterfaceNames.isField(name) else { throw error("`\(name)` is no field name") }
            guard !words.contains(name) else { throw error("`\(name)` is there twice") }
            words.append(name)
            if lexer.take(":") {
                fields.append(InterfaceField(name, try parseType(), documentation: documentation))
            }
            guard fields.isEmpty || fields.count == words.count else { throw error("expected `:`") }
        } while lexer.take(",")
        guard lexer.take(")") else { throw error("expected `,` or `)`") }
        return fields.isEmpty ? .enumeration(words) : .structure(fields)
    }

    private mutating func parseType() throws(InterfaceError) -> InterfaceType {
        guard depth < 64 else { throw error("types are nested too deeply") }
        depth += 1
        defer { depth -= 1 }
        if lexer.take("?") {
            guard !lexer.sees("?") else { throw error("`??` is no type") }
            return .optional(try parseType())
        }
        if lexer.take("[]") { return .array(try parseType()) }
        if lexer.take("[string]") { return .map(try parseType()) }
        if lexer.sees("(") { return try parseParenthesised() }
        let line = lexer.line
        let name = lexer.takeWord([UInt8(ascii: "_")])
        switch name {
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        default:
            guard InterfaceNames.isMember(name) else { throw error("`\(name)` is no type") }
            if used[name] == nil { used[name] = line }
            return .named(name)
        }
    }
}
