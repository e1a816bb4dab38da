import Varlink

/// Parts of a model as text, made of their JSON so that a person is shown whatever a script is.
enum DescriptionText {
    private static let lists = [
        "attributes", "relationships", "fetchedProperties", "uniquenessConstraints", "indexes", "compoundIndexes",
    ]

    /// An entity, its own properties, constraints and indexes, a line each.
    static func print(_ entity: JSONObject, _ output: Output) {
        var head = entity
        for list in lists { head[list] = nil }
        output.line(item(.object(head)))
        for list in ["attributes", "relationships", "fetchedProperties"] {
            for property in entity[list]?.arrayValue ?? [] where property["inheritedFrom"] == nil {
                output.line("  \(item(property))")
            }
        }
        for constraint in entity["uniquenessConstraints"]?.arrayValue ?? [] {
            output.line("  unique \(value(constraint))")
        }
        for index in entity["indexes"]?.arrayValue ?? [] { output.line("  index \(item(index))") }
        for index in entity["compoundIndexes"]?.arrayValue ?? [] { output.line("  compound index \(value(index))") }
    }

    /// `name type, fact, fact value`: what is null or false is left out.
    static func item(_ json: JSON) -> String {
        var facts: [String] = []
        for (key, json) in json.objectValue ?? [:] where key != "name" {
            switch json {
            case .null, .bool(false): continue
            case .bool(true): facts.append(key)
            default: facts.append("\(key) \(value(json))")
            }
        }
        let name = json["name"]?.stringValue ?? ""
        return facts.isEmpty ? name : "\(name): \(facts.joined(separator: ", "))"
    }

    private static func value(_ json: JSON) -> String {
        if let text = json.stringValue { return text }
        if let list = json.arrayValue { return "(\(list.map(value).joined(separator: ", ")))" }
        if let object = json.objectValue {
            return "(\(object.map { "\($0.key) \(value($0.value))" }.joined(separator: ", ")))"
        }
        return json.description
    }
}
