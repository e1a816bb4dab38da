import Foundation
import SQLite

extension SaveTransaction {
    /// The column's value for an attribute's value. A large value of an attribute with external storage is written to
    /// its file; the file goes again if the save fails.
    /// - Throws: `StoreError` `TypeMismatch`, `PrecisionLoss` or `ExternalData`.
    public func encode(_ value: AttributeValue?, as leaf: LeafLayout) throws -> SQLValue {
        let encoded = try ValueCoding.encode(value, as: leaf, external: store.externalData)
        if leaf.isExternal, case .blob(let bytes) = encoded, let name = ExternalData.reference(in: bytes) {
            newFiles.append(name)
        }
        return encoded
    }

    /// Notes the files that the row's columns name now: they go when the save has committed.
    func collectFiles(_ entity: EntityLayout, _ key: Int64, columns: [Int]) throws {
        let external = Set(entity.attributes.flatMap(\.leaves).filter(\.isExternal).compactMap(\.column))
        let list = columns.filter { external.contains($0) }.map { entity.columns[$0].sqlIdentifier }
        guard !list.isEmpty else { return }
        let row = try connection.query(
            "SELECT \(list.joined(separator: ", ")) FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ?", [.integer(key)])
        for value in row.first ?? [] {
            if case .blob(let bytes) = value, let name = ExternalData.reference(in: bytes) { obsoleteFiles.append(name) }
        }
    }

    /// Removes the files that no row names any more: the old ones after a commit, the new ones after a failure.
    func removeObsoleteFiles(committed: Bool) {
        for name in committed ? obsoleteFiles : newFiles {
            try? FileManager.default.removeItem(atPath: store.externalData.path(of: name))
        }
    }
}
