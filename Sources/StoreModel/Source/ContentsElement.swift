import Foundation
import KeyedArchive

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
        attributes[attribute].map { Self.flagValues[$0.uppercased()] ?? false } ?? absent
    }

    /// What editors and tools write for a flag, in capitals; nothing else is one.
    static let flagValues = ["YES": true, "TRUE": true, "1": true, "NO": false, "FALSE": false, "0": false, "": false]

    /// Whether an attribute says YES; nil where it is not there.
    func optionalFlag(_ attribute: String) -> Bool? {
        attributes[attribute].map { _ in flag(attribute) }
    }

    /// An attribute's text; empty counts as absent.
    func text(_ attribute: String) -> String? {
        attributes[attribute].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension ContentsElement {
    /// Models nest six deep; more is no model.
    private static let maximumDepth = 32

    /// Reads the tree of a model's `contents`.
    /// - Throws: ``ModelError/malformed(source:reason:)`` with the line.
    static func parse(_ data: Data, source: String) throws(ModelError) -> ContentsElement {
        var open: [ContentsElement] = []
        var root: ContentsElement?
        do throws(XMLError) {
            var reader = try XMLReader(data, maximumDepth: maximumDepth)
            while let event = try reader.next() {
                switch event {
                case .start(let name, let attributes):
                    open.append(ContentsElement(name: name, attributes: attributes, line: reader.line))
                case .text(let text):
                    guard let place = open.last, text.contains(where: { !$0.isWhitespace }) else { continue }
                    throw XMLError(
                        message: "<\(place.name)> holds text, but everything in a model stands in attributes",
                        line: reader.line)
                case .end:
                    guard let done = open.popLast() else { continue }
                    if let last = open.indices.last { open[last].children.append(done) } else { root = done }
                }
            }
        } catch {
            throw .malformed(source: source, reason: "\(error)")
        }
        guard let root else { throw .malformed(source: source, reason: "there is no element in it") }
        return root
    }
}
