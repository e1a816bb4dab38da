import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Foundation's XML parser, for input that may be hostile.
///
/// The parser ends the process at a name that is not UTF-8, so what is not UTF-8 as a whole never reaches it.
package enum SafeXML {
    /// A parser for the bytes; nil where they are not UTF-8, or say that they are in another encoding.
    package static func parser(_ data: Data) -> XMLParser? {
        guard String(validating: data, as: UTF8.self) != nil, isDeclaredUTF8(data) else { return nil }
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        return parser
    }

    /// Whether the XML declaration names UTF-8, a subset of it, or nothing.
    private static func isDeclaredUTF8(_ data: Data) -> Bool {
        let head = String(decoding: data.prefix(200), as: UTF8.self)
        guard let end = head.range(of: "?>"), let name = head[..<end.lowerBound].range(of: "encoding") else {
            return true
        }
        let rest = head[name.upperBound..<end.lowerBound].drop { " \t\r\n=\"'".contains($0) }
        let encoding = rest.prefix { !"\"' \t\r\n".contains($0) }.uppercased()
        return ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(encoding)
    }
}
