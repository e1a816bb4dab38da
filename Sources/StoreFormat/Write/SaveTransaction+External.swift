import Foundation
import SQLite

extension SaveTransaction {
    /// The column's value for an attribute's value. A large value of an attribute with external storage is written to
    /// its file; the file goes again if the save fails.
    /// - Throws: `StoreError` `TypeMismatch`, `PrecisionLoss` or `ExternalData`.
    public func encode(_ value: AttributeValue?, as leaf: LeafLayout) throws -> SQLValue {
        guard leaf.isExternal, case .data(let data)? = value, data.count > ExternalData.threshold else {
            return try ValueCoding.encode(value, as: leaf)
        }
        let name = UUID().uuidString
        try journal.note([name])
        newFiles.append(name)
        try store.externalData.write(data, as: name)
        return ExternalData.column(naming: name)
    }

    /// The files that the row's columns name now: they go when the save has committed.
    func files(_ entity: EntityLayout, _ key: Int64, columns: [Int]) throws -> [String] {
        let list = columns.filter { isExternal($0, in: entity) }.map { entity.columns[$0].sqlIdentifier }
        guard !list.isEmpty else { return [] }
        let row = try connection.query(
            "SELECT \(list.joined(separator: ", ")) FROM \(entity.table.sqlIdentifier) WHERE Z_PK = ?", [.integer(key)])
        return (row.first ?? []).compactMap { $0.blobValue.flatMap { ExternalData.reference(in: $0) } }
    }

    /// Notes files that a row named and no longer does.
    func retire(_ files: [String]) {
        obsoleteFiles += files
        usedFiles.subtract(files)
    }

    /// Notes the files that values name which were written to a row.
    func noteFiles(_ entity: EntityLayout, _ columns: some Sequence<(index: Int, value: SQLValue)>) {
        for column in columns where isExternal(column.index, in: entity) {
            if case .blob(let bytes) = column.value, let name = ExternalData.reference(in: bytes) {
                usedFiles.insert(name)
            }
        }
    }

    func isExternal(_ column: Int, in entity: EntityLayout) -> Bool {
        externalColumns(entity).contains(column)
    }

    /// Before the commit: settles which files go, and notes them. A file that another row names as well stays.
    func prepareFiles() throws {
        guard !obsoleteFiles.isEmpty else { return }
        let used = try ExternalReferences.names(store.layout, connection)
        obsoleteFiles.removeAll { used.contains($0) }
        try journal.note(obsoleteFiles)
    }

    /// Removes the files that no row names any more: after a commit the old ones and those that no row got, after a
    /// failure the new ones.
    func removeObsoleteFiles(committed: Bool) {
        let unused = newFiles.filter { !usedFiles.contains($0) }
        let obsolete = committed ? obsoleteFiles + unused : newFiles
        for name in obsolete {
            try? FileManager.default.removeItem(atPath: store.externalData.path(of: name))
        }
        journal.clear()
    }
}
