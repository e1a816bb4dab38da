import Foundation

/// Reads XML as Xcode and `plutil` write it: well-formed, in UTF-8 or what ``XMLEncoding`` makes UTF-8 of, without entities
/// of its own.
///
/// Foundation's parser ends the process at some input that is not well formed, so it cannot be given files of strangers.
/// This one refuses document types with declarations, since nothing that is read here has any and they are how small
/// files become large ones.
package struct XMLReader {
    /// What was read.
    package enum Event: Sendable, Equatable {
        case start(name: String, attributes: [String: String])
        /// Text of an element; it can come in pieces.
        case text(String)
        case end(name: String)
    }

    private var scanner: XMLScanner
    private let maximumDepth: Int
    private var open: [String] = []
    /// The end of an element without content, which comes next.
    private var pendingEnd: String?
    private var hasRoot = false

    /// The line that is being read, counted from 1.
    package var line: Int { scanner.line }

    /// - Parameter maximumDepth: how many elements may lie in each other.
    /// - Throws: ``XMLError`` if the bytes are no text, or in an encoding that is not read.
    package init(_ data: Data, maximumDepth: Int) throws(XMLError) {
        self.maximumDepth = maximumDepth
        scanner = XMLScanner(try XMLEncoding.utf8(data))
        try scanner.prolog()
    }

    /// The next event; nil at the end.
    /// - Throws: ``XMLError``.
    package mutating func next() throws(XMLError) -> Event? {
        if let name = pendingEnd {
            pendingEnd = nil
            open.removeLast()
            return .end(name: name)
        }
        while true {
            if open.isEmpty {
                scanner.skipSpace()
                if scanner.isAtEnd {
                    guard hasRoot else { throw scanner.error("there is no element") }
                    return nil
                }
            } else if scanner.isAtEnd {
                throw scanner.error("<\(open.last ?? "")> does not end")
            }
            if scanner.take("<!--") {
                try scanner.skipComment()
            } else if scanner.take("<?") {
                try scanner.skipInstruction()
            } else if open.isEmpty, !hasRoot, scanner.take("<!DOCTYPE") {
                try scanner.skipDocumentType()
            } else if !open.isEmpty, scanner.take("<![CDATA[") {
                return .text(try scanner.characterData())
            } else if scanner.take("</") {
                return .end(name: try end())
            } else if scanner.take("<") {
                return try start()
            } else if open.isEmpty {
                throw scanner.error("text outside of the element")
            } else {
                return .text(try scanner.text())
            }
        }
    }

    private mutating func start() throws(XMLError) -> Event {
        guard !hasRoot || !open.isEmpty else { throw scanner.error("a second element at the top") }
        guard open.count < maximumDepth else {
            throw scanner.error("more than \(maximumDepth) elements in each other")
        }
        hasRoot = true
        let name = try scanner.name()
        var attributes: [String: String] = [:]
        while true {
            let hadSpace = scanner.skipSpace()
            if scanner.take("/>") {
                pendingEnd = name
                break
            }
            if scanner.take(">") { break }
            guard hadSpace else { throw scanner.error("<\(name)> is not well formed") }
            let attribute = try scanner.name()
            scanner.skipSpace()
            guard scanner.take("=") else { throw scanner.error("\(attribute) of <\(name)> has no value") }
            scanner.skipSpace()
            let value = try scanner.attributeValue()
            guard attributes.updateValue(value, forKey: attribute) == nil else {
                throw scanner.error("\(attribute) of <\(name)> is there twice")
            }
        }
        open.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func end() throws(XMLError) -> String {
        let name = try scanner.name()
        scanner.skipSpace()
        guard scanner.take(">") else { throw scanner.error("</\(name)> is not well formed") }
        guard open.popLast() == name else { throw scanner.error("</\(name)> ends what did not begin") }
        return name
    }
}
