extension ModelValue {
    /// Whether an attribute of the type can hold the value. Transformables and undefined attributes can hold any.
    func isValue(of type: AttributeType) -> Bool {
        switch (type, self) {
        case (.undefined, _), (.transformable, _), (.objectID, _): true
        case (.integer16, .integer(let value)): Int16(exactly: value) != nil
        case (.integer32, .integer(let value)): Int32(exactly: value) != nil
        case (.integer64, .integer), (.decimal, .decimal), (.boolean, .bool), (.string, .string), (.date, .date): true
        case (.double, .double), (.double, .integer), (.float, .double), (.float, .integer): true
        case (.binaryData, .data), (.uuid, .uuid), (.uri, .url), (.composite, .dictionary): true
        default: false
        }
    }
}
