import Foundation

/// Reads the XML form. An XML dictionary `{CF$UID: n}` becomes a UID, as `plutil` writes them.
struct XMLPropertyListReader {
    private struct Container {
        var name: String
        var key: String?
        var entries: [(String, PropertyListNode)] = []
        var elements: [PropertyListNode] = []
    }

    private let limits: PropertyList.Limits
    private var reader: XMLReader
    private var containers: [Container] = []
    private var text = ""
    private var leaf: String?
    private var nodes = 0
    private var result: PropertyListNode?

    static func read(_ data: Data, limits: PropertyList.Limits) throws(PropertyListError) -> PropertyListNode {
        do {
            // A list's element, a value's element, and the containers between them.
            let depth = limits.depth < .max - 2 ? limits.depth + 2 : limits.depth
            var list = XMLPropertyListReader(limits, try XMLReader(data, maximumDepth: depth))
            return try list.read()
        } catch let error as XMLError {
            throw PropertyListError(.badXML, "the XML is not well formed: \(error.message)", at: error.line)
        } catch let error as PropertyListError {
            throw error
        } catch {
            throw PropertyListError(.badXML, "\(error)")
        }
    }

    private init(_ limits: PropertyList.Limits, _ reader: XMLReader) {
        self.limits = limits
        self.reader = reader
    }

    private mutating func read() throws -> PropertyListNode {
        while let event = try reader.next() {
            switch event {
            case .start(let name, _): try start(name)
            case .text(let piece): if leaf != nil { text += piece }
            case .end(let name): try end(name)
            }
        }
        guard let result else { throw failure(.badXML, "the XML holds no value") }
        return result
    }

    private func failure(_ kind: PropertyListError.Kind, _ message: String) -> PropertyListError {
        PropertyListError(kind, message, at: reader.line)
    }

    private mutating func start(_ name: String) throws(PropertyListError) {
        guard leaf == nil else { throw failure(.badXML, "<\(name)> inside a value") }
        switch name {
        case "plist":
            if !containers.isEmpty || result != nil { throw failure(.badXML, "<plist> inside a list") }
        case "dict", "array":
            guard containers.count < limits.depth else {
                throw failure(.tooLarge, "more than \(limits.depth) containers in each other")
            }
            containers.append(Container(name: name))
        case "key", "string", "integer", "real", "date", "data", "true", "false":
            leaf = name
            text = ""
        default:
            throw failure(.badXML, "<\(name)> is no element of a property list")
        }
    }

    private mutating func end(_ name: String) throws(PropertyListError) {
        switch name {
        case "plist":
            break
        case "dict", "array":
            guard let done = containers.popLast() else { return }
            if done.key != nil { throw failure(.badXML, "a key without a value") }
            if name == "array" { return try add(.array(done.elements)) }
            let dictionary = PropertyListDictionary(done.entries)
            if dictionary.count == 1, case .integer(let uid)? = dictionary["CF$UID"], uid >= 0 {
                return try add(.uid(UInt64(uid)))
            }
            try add(.dictionary(dictionary))
        case "key":
            leaf = nil
            guard let last = containers.indices.last, containers[last].name == "dict", containers[last].key == nil
            else { throw failure(.badXML, "<key> where none belongs") }
            containers[last].key = text
        default:
            leaf = nil
            guard let node = Self.value(name, text) else {
                throw failure(.badXML, "`\(text.prefix(40))` is no \(name)")
            }
            try add(node)
        }
    }

    private mutating func add(_ node: PropertyListNode) throws(PropertyListError) {
        nodes += 1
        guard nodes <= limits.nodes else { throw failure(.tooLarge, "more than \(limits.nodes) values") }
        guard let last = containers.indices.last else {
            guard result == nil else { throw failure(.badXML, "two values at the top") }
            result = node
            return
        }
        if containers[last].name == "array" {
            containers[last].elements.append(node)
        } else if let key = containers[last].key {
            containers[last].key = nil
            containers[last].entries.append((key, node))
        } else {
            throw failure(.badXML, "a value without a key")
        }
    }

    private static func value(_ name: String, _ text: String) -> PropertyListNode? {
        let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "string": return .string(text)
        case "true": return .bool(true)
        case "false": return .bool(false)
        case "real": return Double(word).map { .real($0) }
        case "data": return Data(base64Encoded: word, options: .ignoreUnknownCharacters).map { .data($0) }
        case "date": return (try? Date(word, strategy: .iso8601)).map { .date($0) }
        case "integer":
            if let value = Int64(word) { return .integer(value) }
            if let value = UInt64(word) { return .unsigned(value) }
            guard word.hasPrefix("0x") else { return nil }
            return Int64(word.dropFirst(2), radix: 16).map { .integer($0) }
        default: return nil
        }
    }
}
