import Foundation
import SQLite
import StoreModel

/// A damaged store, opened as far as it can be.
struct SalvageSource {
    let path: String
    let connection: Connection
    let model: ModelDescription
    let tables: TableColumns
    /// The entities' numbers in the file; those of a new store where they cannot be read.
    let catalogue: Catalogue
    /// Nil where it cannot be read.
    let metadata: StoreMetadata?
    let external: ExternalData
    private(set) var notes: [String] = []
    /// Whether the file ends where it says, and its list of tables, metadata and catalogue could be read. Else more may be
    /// lost than the rows that are left tell of.
    private(set) var isWhole = true
    /// Tables of which rows may be lost that nothing tells of, where the list of tables could not be read.
    let doubtful: Set<String>
    /// The copy that SQLite reads; nil where it reads none, and the pages were read already.
    private let copy: String?

    /// - Parameter folder: a folder to make, for the copy.
    init(_ path: String, folder: String, model: ModelDescription?) throws {
        self.path = path
        external = ExternalData(storePath: path)
        let (first, missing) = try Self.open(path, folder)
        var opened = first
        var found: TableColumns?
        if let opened { found = try Self.tables(opened) }
        if let opened, let found {
            (connection, tables, doubtful, copy) = (opened, found, [], folder + "/store")
            self.model = try model ?? Self.model(opened, found, path)
        } else {
            // Its log is in the copy by now, as far as it can be read; nobody may have the copy open while it is read raw.
            opened = nil
            let lost = try LostSchema(folder + "/store", original: path, to: folder + "/found", model: model)
            (connection, self.model, copy) = (lost.connection, lost.model, nil)
            tables = try TableColumns(lost.connection)
            // What was behind the end could have been of any table.
            doubtful = missing > 0 ? Set(tables.names) : lost.doubtful
            notes += lost.notes
            isWhole = false
        }
        if missing > 0 {
            isWhole = false
            notes.insert(
                "the file is cut short: \(missing) page\(missing == 1 ? "" : "s") at its end \(missing == 1 ? "is" : "are") "
                    + "missing", at: 0)
        }
        if let read = try? StoreMetadata.read(connection), UUID(uuidString: read.uuid)?.uuidString == read.uuid {
            metadata = read
        } else {
            metadata = nil
            isWhole = false
            notes.append(
                "Z_METADATA cannot be read: the new store has another UUID, and the application's own keys are lost")
        }
        if let read = try? Catalogue.read(connection, model: self.model), read.missing.isEmpty {
            catalogue = read
        } else {
            let rows = SchemaPlan(self.model).catalogueRows.map {
                Catalogue.Row(number: $0.number, name: $0.name, parent: $0.parent, maximum: 0)
            }
            catalogue = Catalogue(rows: rows, model: self.model)
            isWhole = false
            notes.append("Z_PRIMARYKEY cannot be read: entities were taken to have the numbers of a new store")
        }
    }

    /// Whether SQLite finds nothing wrong with the pages.
    func arePagesSound() throws -> Bool {
        guard copy != nil else { return true }
        do {
            return try connection.firstPageProblem() == nil
        } catch let error as SQLiteError where SalvageScan.isDamage(error) {
            return false
        }
    }

    /// The rows page by page; nil where the pages were read already, or the log cannot be moved into the copy: what its pages
    /// say is then not what the store says.
    func strayRows() throws -> StrayRows? {
        guard let copy else { return nil }
        connection.clearStatementCache()
        do {
            guard try connection.checkpoint(.truncate).isComplete else { return nil }
            return try StrayRows(copy, connection)
        } catch let error as SQLiteError where SalvageScan.isDamage(error) {
            return nil
        }
    }

    /// The tables of the file; nil where their list cannot be read, or names none of a store's.
    private static func tables(_ connection: Connection) throws -> TableColumns? {
        do {
            let tables = try TableColumns(connection)
            // A list whose first page was overwritten with zeros reads as empty.
            if tables["Z_METADATA"] != nil || tables["Z_PRIMARYKEY"] != nil { return tables }
            return tables.names.isEmpty ? nil : tables
        } catch let error as SQLiteError where SalvageScan.isDamage(error) || error.isNotADatabase {
            // As far as the log can be read, it is in the file from here on.
            _ = try? connection.checkpoint(.truncate)
            return nil
        }
    }

    /// - Returns: no connection where the copy does not even begin as a database; and how many pages are missing at its end.
    private static func open(_ path: String, _ folder: String) throws -> (Connection?, missing: Int) {
        let files = FileManager.default
        try StoreProbe.checkKind(path)
        // Else the copy, which is made next, would be said not to be writable.
        guard access(path, R_OK) == 0 else { throw StoreProbe.unreadable(path) }
        guard !StoreLock.isHeld(storePath: path), !QuietStore.isOpenElsewhere(path) else {
            throw StoreError.openElsewhere(path)
        }
        let copy = folder + "/store"
        do {
            try PrivateFile.makeFolder(folder)
        } catch {
            throw StoreError(writing: folder, error)
        }
        for suffix in ["", "-wal", "-journal"] where files.fileExists(atPath: path + suffix) {
            do {
                try PrivateFile.copy(path + suffix, to: copy + suffix)
            } catch {
                let bytes = (try? files.attributesOfItem(atPath: path + suffix)[.size]) as? Int
                throw StoreError(writing: copy + suffix, error, bytes: bytes)
            }
        }
        // The log of another database would be taken for this one's, and overwrite what can still be read.
        if LogOrigin(file: copy, log: copy + "-wal")?.contradiction() != nil {
            try files.removeItem(atPath: copy + "-wal")
        }
        // Before the log is moved into the file, which makes it as long as it shall be, with holes.
        var missing = FileEnd.missingPages(file: copy, log: copy + "-wal")
        let connection = try Connection(path: copy, mode: .readWrite, originalPath: path)
        do {
            // So opened, SQLite reads a file that is shorter than its header says.
            try connection.execute("PRAGMA writable_schema=ON; PRAGMA query_only=ON; PRAGMA cache_size=-16000")
            if files.fileExists(atPath: copy + "-journal") {
                // The first look undoes a transaction that was cut off, whose header could count pages that never came.
                _ = try connection.scalar("SELECT count(*) FROM sqlite_master")
                missing = FileEnd.missingPages(file: copy, log: copy + "-wal")
            }
        } catch let error as SQLiteError where error.isNotADatabase || SalvageScan.isDamage(error) {
            _ = try? connection.checkpoint(.truncate)
            return (nil, missing)
        }
        return (connection, missing)
    }

    private static func model(
        _ connection: Connection, _ tables: TableColumns, _ path: String
    ) throws -> ModelDescription {
        do {
            return try StoreModelSource.model(given: nil, source: "", connection, path: path, tables: tables).0
        } catch let error as SQLiteError {
            throw StoreError(
                .modelUnreadable, "the model cache of \(path) cannot be read: \(error.message)",
                way: "give the model it was made with: --model FILE.mom, .momd or .xcdatamodeld")
        }
    }

    /// A counter beyond this was never reached by counting.
    static let highestCounter: Int64 = 1 << 53

    /// The highest key that a table's root has handed out; nil where that is not known.
    func counter(_ root: String) -> Int64? {
        let number = catalogue.numbers[root]
        return catalogue.rows.first { $0.number == number }.map(\.maximum).flatMap {
            $0 > 0 && $0 <= Self.highestCounter ? $0 : nil
        }
    }
}
