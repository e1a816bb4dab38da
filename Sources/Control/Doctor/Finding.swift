import StoreFormat
import Varlink

/// Something that whoever looks after a store should know.
struct Finding {
    /// How much it matters.
    enum Severity: String {
        /// Nothing has to be done.
        case note
        /// Something is wrong.
        case wrong
    }

    let severity: Severity
    /// A short name for scripts.
    let code: String
    let message: String
    let way: String

    static func note(_ code: String, _ message: String, way: String = "") -> Finding {
        Finding(severity: .note, code: code, message: message, way: way)
    }

    static func wrong(_ code: String, _ message: String, way: String) -> Finding {
        Finding(severity: .wrong, code: code, message: message, way: way)
    }

    /// What kept the store from being looked at.
    static func wrong(_ error: any Error) -> Finding {
        guard let error = error as? StoreError else { return wrong("Failed", "\(error)", way: "") }
        return wrong(error.code.rawValue, error.message, way: error.way)
    }

    var json: JSON {
        [
            "severity": .string(severity.rawValue), "code": .string(code), "message": .string(message),
            "way": .string(way),
        ]
    }

    var text: String {
        let sentence = way.isEmpty ? "" : ". " + way.prefix(1).uppercased() + way.dropFirst()
        return "\(severity.rawValue)  \(message)\(sentence)"
    }
}

/// One part of what a doctor looked at: facts by name, and what follows from them.
struct Examination {
    /// The name in JSON.
    let name: String
    /// The heading for a person.
    let title: String
    var facts: [(name: String, value: JSON, text: String)] = []
    var findings: [Finding] = []

    init(_ name: String, _ title: String) {
        self.name = name
        self.title = title
    }

    mutating func add(_ name: String, _ value: JSON, _ text: String? = nil) {
        facts.append((name, value, text ?? Self.plain(value)))
    }

    mutating func add(_ name: String, _ value: String?) {
        add(name, value.map { .string($0) } ?? .null, value ?? "unknown")
    }

    private static func plain(_ value: JSON) -> String {
        switch value {
        case .string(let text): text
        case .bool(let value): value ? "yes" : "no"
        case .null: "unknown"
        default: value.text()
        }
    }

    var json: JSON {
        .object(JSONObject(facts.map { ($0.name, $0.value) }))
    }
}
