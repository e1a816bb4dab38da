import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads the XML form. An XML dictionary `{CF$UID: n}` becomes a UID, as `plutil` writes them.
final class XMLPropertyListReader: NSObject, XMLParserDelegate {
    private struct Container {
        var name: String
        var key: String?
        var entries: [(String, PropertyListNode)] = []
        var elements: [PropertyListNode] = []
    }

    private let limits: PropertyList.Limits
    private var containers: [Container] = []
    private var text = ""
    private var leaf: String?
    private var nodes = 0
    private var result: PropertyListNode?
    private var failure: PropertyListError?

    private init(limits: PropertyList.Limits) {
        self.limits = limits
    }

    static func read(_ data: Data, limits: PropertyList.Limits) throws(PropertyListError) -> PropertyListNode {
        let reader = XMLPropertyListReader(limits: limits)
        guard let parser = SafeXML.parser(data) else {
            throw PropertyListError(.badText, "the XML is not in UTF-8", at: 1)
        }
        parser.delegate = reader
        let done = parser.parse()
        if let failure = reader.failure { throw failure }
        guard done, reader.containers.isEmpty, let result = reader.result else {
            throw PropertyListError(.badXML, "the XML is not well formed or holds no value", at: parser.lineNumber)
        }
        return result
    }

    private func fail(_ parser: XMLParser, _ kind: PropertyListError.Kind, _ message: String) {
        if failure == nil { failure = PropertyListError(kind, message, at: parser.lineNumber) }
        parser.abortParsing()
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        // libxml2 goes on behind errors as well as it can; here the first one counts.
        if failure == nil {
            failure = PropertyListError(.badXML, "the XML is not well formed", at: parser.lineNumber)
        }
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard failure == nil else { return }
        guard leaf == nil else { return fail(parser, .badXML, "<\(name)> inside a value") }
        switch name {
        case "plist":
            if !containers.isEmpty || result != nil { fail(parser, .badXML, "<plist> inside a list") }
        case "dict", "array":
            guard containers.count < limits.depth else {
                return fail(parser, .tooLarge, "more than \(limits.depth) containers in each other")
            }
            containers.append(Container(name: name))
        case "key", "string", "integer", "real", "date", "data", "true", "false":
            leaf = name
            text = ""
        default:
            fail(parser, .badXML, "<\(name)> is no element of a property list")
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if leaf != nil { text += string }
    }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        if leaf != nil { text += String(decoding: block, as: UTF8.self) }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard failure == nil else { return }
        switch name {
        case "plist":
            break
        case "dict", "array":
            guard let done = containers.popLast() else { return }
            if done.key != nil { return fail(parser, .badXML, "a key without a value") }
            if name == "array" { return add(.array(done.elements), parser) }
            let dictionary = PropertyListDictionary(done.entries)
            if dictionary.count == 1, case .integer(let uid)? = dictionary["CF$UID"], uid >= 0 {
                return add(.uid(UInt64(uid)), parser)
            }
            add(.dictionary(dictionary), parser)
        case "key":
            leaf = nil
            guard let last = containers.indices.last, containers[last].name == "dict", containers[last].key == nil
            else {
                return fail(parser, .badXML, "<key> where none belongs")
            }
            containers[last].key = text
        default:
            leaf = nil
            guard let node = Self.value(name, text) else {
                return fail(parser, .badXML, "`\(text.prefix(40))` is no \(name)")
            }
            add(node, parser)
        }
    }

    private func add(_ node: PropertyListNode, _ parser: XMLParser) {
        nodes += 1
        guard nodes <= limits.nodes else { return fail(parser, .tooLarge, "more than \(limits.nodes) values") }
        guard let last = containers.indices.last else {
            guard result == nil else { return fail(parser, .badXML, "two values at the top") }
            result = node
            return
        }
        if containers[last].name == "array" {
            containers[last].elements.append(node)
        } else if let key = containers[last].key {
            containers[last].key = nil
            containers[last].entries.append((key, node))
        } else {
            fail(parser, .badXML, "a value without a key")
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
