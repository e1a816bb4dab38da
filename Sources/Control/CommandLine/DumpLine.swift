import Foundation
import StoreFormat
import Varlink

/// A line of a dump. A value of many bytes is written piece by piece, so that it is in memory once and not in every form on
/// its way out.
struct DumpLine {
    private let json: ObjectJSON
    private let output: Output

    /// From here on a value is written in pieces; a multiple of three, so that pieces of base64 join.
    private static let piece = 3 << 18

    init(_ json: ObjectJSON, _ output: Output) {
        self.json = json
        self.output = output
    }

    func write(_ record: ObjectRecord) {
        let large = record.values.filter { Self.isLarge($0.value) }
        guard !large.isEmpty else { return output.json(json.object(record)) }
        var small = record
        for key in large.keys { small.values.updateValue(nil, forKey: key) }
        members(json.object(small).objectValue ?? [:]) { key, value in
            guard key == "values" else { return part(value) }
            members(value.objectValue ?? [:]) { key, value in
                guard let value = large[key] ?? nil else { return part(value) }
                write(value)
            }
        }
        output.jsonPart("\n".utf8)
    }

    private func members(_ object: JSONObject, _ write: (String, JSON) -> Void) {
        for (i, member) in object.enumerated() {
            output.jsonPart((i == 0 ? "{" : ",").utf8)
            part(.string(member.key))
            output.jsonPart(":".utf8)
            write(member.key, member.value)
        }
        output.jsonPart("}".utf8)
    }

    private func part(_ value: JSON) { output.jsonPart(value.encoded()) }

    private static func isLarge(_ value: AttributeValue?) -> Bool {
        switch value {
        case .string(let text): text.utf8.count > piece
        case .data(let bytes), .transformable(let bytes): bytes.count > piece
        default: false
        }
    }

    private func write(_ value: AttributeValue) {
        switch value {
        case .string(let text): write(text)
        case .transformable(let bytes):
            output.jsonPart("{\"$transformable\":".utf8)
            write(bytes)
            output.jsonPart("}".utf8)
        case .data(let bytes): write(bytes)
        default: part(json.value(value))
        }
    }

    private func write(_ bytes: Data) {
        output.jsonPart("\"".utf8)
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = min(start + Self.piece, bytes.endIndex)
            output.jsonPart(bytes[start..<end].base64EncodedData())
            start = end
        }
        output.jsonPart("\"".utf8)
    }

    private func write(_ text: String) {
        output.jsonPart("\"".utf8)
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let some = rest.prefix(Self.piece)
            output.jsonPart(JSON.string(String(some)).encoded().dropFirst().dropLast())
            rest = rest[some.endIndex...]
        }
        output.jsonPart("\"".utf8)
    }
}
