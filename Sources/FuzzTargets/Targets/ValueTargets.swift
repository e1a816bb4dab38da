import Control
import Foundation
import SQLite
import StoreFormat
import Varlink

extension FuzzTarget {
    static let values: [FuzzTarget] = [
        FuzzTarget("column", "a column's value, of whatever storage class", errors: [StoreError.self]) { bytes in
            let entity = try Workshop.library.layout.entity("Book")
            let external = Workshop.library.externalData
            for raw in columnValues(bytes) {
                for leaf in entity.attributes.flatMap(\.leaves) {
                    guard let value = ValueCoding.decode(raw, as: leaf, external: external) else { continue }
                    _ = try? ValueCoding.encode(value, as: leaf)
                }
            }
            if let name = ExternalData.reference(in: bytes) {
                let path = URL(fileURLWithPath: external.path(of: name)).standardizedFileURL.path
                try promise(
                    path.hasPrefix(external.folder + "/"), "an external file's name leads out of its folder: \(path)")
            }
        },
        FuzzTarget("change-bitmap", "the changed properties in ACHANGE.ZCOLUMNS", errors: []) { bytes in
            for entity in Workshop.library.layout.entities {
                let names = entity.bitmap.decode([UInt8](bytes))
                let known = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
                try promise(names.allSatisfy(known.contains), "a bitmap names what \(entity.name) has not")
                try promise(entity.bitmap.decode(entity.bitmap.encode(names)) == names, "a bitmap reads back otherwise")
            }
        },
        FuzzTarget("swift-values", "the columns of a Swift structure, enumeration and array", errors: []) { bytes in
            for raw in columnValues(bytes) { try Workshop.readVoyage(raw) }
        },
        FuzzTarget("object-name", "an object's name or a history token", errors: [StoreError.self]) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let uuid = Workshop.library.uuid
            let token = Result { try HistoryToken(parsing: text, storeUUID: uuid, timeline: 1) }
            let object = try ObjectReference(parsing: text, storeUUID: uuid)
            for form in [object.description, object.uri(storeUUID: uuid)] {
                try promise(try ObjectReference(parsing: form, storeUUID: uuid) == object, "\(form) reads otherwise")
            }
            _ = try token.get()
        },
        FuzzTarget("value-input", "the values of an insert", errors: [StoreError.self, JSONError.self]) { bytes in
            let store = Workshop.library
            guard case .object(let object) = try JSON(parsing: [UInt8](bytes)) else { return }
            _ = try ValueInput(store: store).values(object, of: try store.layout.entity("Book"))
        },
    ]

    /// The bytes in each storage class that SQLite has.
    private static func columnValues(_ bytes: Data) -> [SQLValue] {
        let number = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return [
            .blob([UInt8](bytes)), .text(String(decoding: bytes, as: UTF8.self)),
            .integer(Int64(bitPattern: number)), .real(Double(bitPattern: number)),
        ]
    }
}
