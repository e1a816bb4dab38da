extension InterfaceDescription {
    /// The first parameter that does not agree with the fields: missing, unknown or of the wrong type.
    ///
    /// - Returns: the parameter's name, followed by a path where the fault lies deeper (`a.b`, `a[2]`); nil where
    ///   all agree.
    public func firstInvalid(in parameters: JSONObject, for fields: [InterfaceField]) -> String? {
        for field in fields {
            if let path = invalid(parameters[field.name] ?? .null, field.type, path: field.name) { return path }
        }
        // As many keys as fields that are there: none is unknown, and no name has to be looked up.
        if parameters.count <= fields.count, fields.allSatisfy({ parameters[$0.name] != nil }) { return nil }
        return parameters.keys.first { key in !fields.contains { $0.name == key } }
    }

    private func invalid(_ value: JSON, _ type: InterfaceType, path: String) -> String? {
        switch (type, value) {
        case (.optional(let wrapped), _): return value.isNull ? nil : invalid(value, wrapped, path: path)
        case (.bool, .bool), (.string, .string), (.object, .object): return nil
        case (.int, .integer), (.int, .unsigned): return nil
        case (.float, .integer), (.float, .unsigned), (.float, .double), (.float, .number): return nil
        case (.enumeration(let words), .string(let word)): return words.contains(word) ? nil : path
        case (.named(let name), _):
            guard case .type(let type) = member(name)?.declaration else { return path }
            return invalid(value, type, path: path)
        case (.array(let element), .array(let elements)):
            for (index, value) in elements.enumerated() {
                if let path = invalid(value, element, path: "\(path)[\(index)]") { return path }
            }
            return nil
        case (.map(let element), .object(let object)):
            for (key, value) in object {
                if let path = invalid(value, element, path: "\(path).\(key)") { return path }
            }
            return nil
        case (.structure(let fields), .object(let object)):
            return firstInvalid(in: object, for: fields).map { "\(path).\($0)" }
        default: return path
        }
    }
}
