/// What calls and replies share: an object with a fixed set of keys (varlink.org, Method Call).
enum Envelope {
    /// Parses a message's text, without its NUL, as an object.
    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int
    ) throws(MessageError) -> JSONObject {
        let value: JSON
        do {
            value = try JSON(parsingEnvelope: bytes, maximumDepth: maximumDepth)
        } catch {
            throw .notJSON(error)
        }
        guard case .object(let object) = value else { throw .notAnObject }
        return object
    }

    /// The parameters; a missing key, null and an empty object are the same.
    static func parameters(_ value: JSON) throws(MessageError) -> JSONObject {
        switch value {
        case .null: return JSONObject()
        case .object(let object): return object
        default: throw .wrongKind(key: "parameters", kind: value.kind)
        }
    }

    static func flag(_ key: String, _ value: JSON) throws(MessageError) -> Bool {
        guard case .bool(let flag) = value else { throw .wrongKind(key: key, kind: value.kind) }
        return flag
    }

    /// The message's text with the NUL that ends it.
    static func encode(_ object: JSONObject) -> [UInt8] {
        var bytes: [UInt8] = []
        JSON.object(object).write(to: &bytes)
        bytes.append(0)
        return bytes
    }
}
