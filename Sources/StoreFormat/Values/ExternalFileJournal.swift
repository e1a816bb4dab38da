import Foundation
import SQLite

/// The names of external files that a save, a migration or a restore has made or will remove, kept beside the store while
/// it runs: what a process that was killed left behind is removed by the next one that opens the store for writing. Files
/// of other programs are in no journal, and are left alone.
///
/// Each has a journal of its own, `coexist-<UUID>.files` in the store's support folder, and touches it only while it holds
/// SQLite's write lock or nobody else can open the store, or after its commit.
final class ExternalFileJournal {
    private let external: ExternalData
    private let path: String
    private var names: Set<String> = []
    private static let prefix = "coexist-"
    private static let suffix = ".files"

    init(_ external: ExternalData) {
        self.external = external
        path = "\(external.supportFolder)/\(Self.prefix)\(UUID().uuidString)\(Self.suffix)"
    }

    /// Notes names, on the disk when this returns.
    /// - Throws: `StoreError`: `DiskFull`, `ReadOnly`, `AccessDenied`, or `ExternalData` for any other failure.
    func note(_ added: some Sequence<String>) throws {
        let new = Set(added).subtracting(names)
        guard !new.isEmpty else { return }
        do {
            try external.makeSupportFolder()
            if !FileManager.default.fileExists(atPath: path) {
                try PrivateFile.write(Data(), to: path)
                external.access?.give(to: path)
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data(new.sorted().map { $0 + "\n" }.joined().utf8))
            try file.close()
            try DurableFile.synchronize(path)
        } catch {
            throw StoreError(writing: path, error, otherwise: .externalData)
        }
        names.formUnion(new)
    }

    /// Removes the journal: what it named has been seen to.
    func clear() {
        guard !names.isEmpty else { return }
        names = []
        try? FileManager.default.removeItem(atPath: path)
    }

    // MARK: What was left behind

    /// The journals beside a store.
    private static func leftBehind(_ external: ExternalData) -> [String] {
        let folder = external.supportFolder
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
    }

    /// Whether something was broken off, or runs.
    static func isThere(_ external: ExternalData) -> Bool { !leftBehind(external).isEmpty }

    /// Removes the files of what was broken off, where no row names them. Does nothing while another process writes: the
    /// next writer tries again.
    /// - Returns: how many it removed.
    static func recover(_ store: Store, _ connection: Connection) throws -> Int {
        guard isThere(store.externalData) else { return 0 }
        let timeout = connection.busyTimeout
        connection.busyTimeout = 0
        defer { connection.busyTimeout = timeout }
        do {
            // Under the lock no journal is of a save that is still to commit.
            try connection.execute("BEGIN IMMEDIATE")
        } catch let error as SQLiteError where error.isBusy {
            return 0
        }
        defer { connection.rollback() }
        let used = try ExternalReferences.names(store.layout, connection)
        var count = 0
        for journal in leftBehind(store.externalData) {
            let text = FileManager.default.contents(atPath: journal).map { String(decoding: $0, as: UTF8.self) } ?? ""
            for name in text.split(separator: "\n").map(String.init)
            where UUID(uuidString: name) != nil && !used.contains(name) {
                if unlink(store.externalData.path(of: name)) == 0 { count += 1 }
            }
            try? FileManager.default.removeItem(atPath: journal)
        }
        store.externalData.removeEmptyFolders()
        return count
    }
}

/// Which external files the store's rows name.
enum ExternalReferences {
    /// All names in a store that is opened for it.
    static func names(ofStoreAt path: String) throws -> Set<String> {
        let store = try Store.open(path)
        return try StoreConnector.translating(path) {
            try names(store.layout, StoreConnector.offlineReader(path))
        }
    }

    /// All names, read through the connection as its transaction sees the rows.
    /// - Parameter schema: which of the connection's databases.
    static func names(
        _ layout: StoreLayout, _ connection: Connection, schema: String = "main"
    ) throws -> Set<String> {
        var columns: Set<[String]> = []
        for entity in layout.entities {
            for leaf in entity.attributes.flatMap(\.leaves) where leaf.isExternal {
                if let column = leaf.column { columns.insert([entity.table, entity.columns[column]]) }
            }
        }
        var names: Set<String> = []
        for column in columns.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let name = column[1].sqlIdentifier
            // A reference has 38 bytes; the length of a longer value is known without reading it.
            let table = "\(schema).\(column[0].sqlIdentifier)"
            let sql = "SELECT \(name) FROM \(table) WHERE length(\(name)) BETWEEN 37 AND 38"
            try connection.cached(sql).forEach { row in
                if let name = ExternalData.reference(in: row.blob(0) ?? []) { names.insert(name) }
            }
        }
        return names
    }
}
