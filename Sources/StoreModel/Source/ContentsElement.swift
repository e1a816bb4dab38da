import Foundation
import KeyedArchive

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// An element of a model's `contents` with what is inside it.
struct ContentsElement {
    let name: String
    let attributes: [String: String]
    let line: Int
    var children: [ContentsElement] = []

    func children(_ name: String) -> [ContentsElement] {
        children.filter { $0.name == name }
    }

    /// Whether an attribute says YES; `absent` where it is not there.
    func flag(_ attribute: String, absent: Bool = false) -> Bool {
        attributes[attribute].map { ["YES", "true", "1"].contains($0) } ?? absent
    }

    /// Whether an attribute says YES; nil where it is not there.
    func optionalFlag(_ attribute: String) -> Bool? {
        attributes[attribute].map { _ in flag(attribute) }
    }

    /// An attribute's text; empty counts as absent.
    func text(_ attribute: String) -> String? {
        attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Builds the tree of a model's `contents`.
final class ContentsParser: NSObject, XMLParserDelegate {
    /// Models nest six deep; more is no model.
    private static let maximumDepth = 32

    private var open: [ContentsElement] = []
    private var root: ContentsElement?
    private var failure: String?

    /// - Throws: ``ModelError/malformed(source:reason:)`` with the line.
    static func parse(_ data: Data, source: String) throws(ModelError) -> ContentsElement {
        let builder = ContentsParser()
        guard let parser = SafeXML.parser(data) else {
            throw .malformed(source: source, reason: "its XML is not in UTF-8")
        }
        parser.delegate = builder
        let done = parser.parse()
        if let failure = builder.failure { throw .malformed(source: source, reason: failure) }
        guard done, builder.open.isEmpty, let root = builder.root else {
            throw .malformed(source: source, reason: "the XML is not well formed")
        }
        return root
    }

    private func fail(_ parser: XMLParser, _ reason: String) {
        if failure == nil { failure = "line \(parser.lineNumber): \(reason)" }
    }

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        fail(parser, "the XML is not well formed")
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard failure == nil else { return }
        guard open.count < Self.maximumDepth else {
            fail(parser, "more than \(Self.maximumDepth) elements in each other")
            return parser.abortParsing()
        }
        open.append(ContentsElement(name: name, attributes: attributes, line: parser.lineNumber))
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        guard failure == nil, let place = open.last, text.contains(where: { !$0.isWhitespace }) else { return }
        fail(parser, "<\(place.name)> holds text, but everything in a model stands in attributes")
    }

    func parser(_ parser: XMLParser, foundCDATA data: Data) {
        self.parser(parser, foundCharacters: String(decoding: data, as: UTF8.self))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard failure == nil, let done = open.popLast() else { return }
        if let last = open.indices.last {
            open[last].children.append(done)
        } else {
            root = done
        }
    }
}
