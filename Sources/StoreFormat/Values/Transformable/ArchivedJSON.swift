import Foundation

/// The JSON that SwiftData keeps in an archive's data: how it stores collections (Format, section 10).
public enum ArchivedJSON {
    /// The archive of JSON.
    public static func archive(_ json: Data) throws -> Data { try SecureArchive.data(json) }

    /// The JSON of an archive. One of plain values, as managed objects write it, gives the JSON of these.
    /// - Throws: `SecureArchive.Problem`.
    public static func json(_ archive: Data) throws -> Data {
        let object = try SecureArchive.object(archive)
        if let json = object as? Data { return json }
        let plain = plain(object)
        guard JSONSerialization.isValidJSONObject(plain) else {
            throw SecureArchive.Problem(description: "the archive holds a \(type(of: object)), which has no JSON")
        }
        return try JSONSerialization.data(withJSONObject: plain)
    }

    /// Values in the form that `JSONDecoder` reads them in.
    private static func plain(_ object: Any) -> Any {
        switch object {
        case let value as Date: value.timeIntervalSinceReferenceDate
        case let value as UUID: value.uuidString
        case let value as Data: value.base64EncodedString()
        case let value as URL: value.absoluteString
        case let set as NSOrderedSet: set.array.map(plain)
        case let set as NSSet: set.allObjects.map(plain)
        case let list as [Any]: list.map(plain)
        case let entries as [String: Any]: entries.mapValues(plain)
        default: object
        }
    }
}
