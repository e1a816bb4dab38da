import Foundation
import SQLite

/// The names of external files that a save has made or will remove, kept beside the store while it runs: what a process
/// that was killed left behind is removed by the next one that opens the store for writing. Files of other programs are
/// in no journal, and are left alone.
///
/// A writer has a journal of its own, `coexist-<UUID>.files` in the store's support folder, and touches it only while it
/// holds SQLite's write lock or after its commit.
final class ExternalFileJournal {
    private let folder: String
    private let path: String
    private var names: Set<String> = []
    private static let prefix = "coexist-"
    private static let suffix = ".files"

    init(_ external: ExternalData) {
        folder = Self.folder(external)
        path = "\(folder)/\(Self.prefix)\(UUID().uuidString)\(Self.suffix)"
    }

    private static func folder(_ external: ExternalData) -> String {
        URL(fileURLWithPath: external.folder).deletingLastPathComponent().path
    }

    /// Notes names, on the disk when this returns.
    /// - Throws: `StoreError` `ExternalData`.
    func note(_ added: some Sequence<String>) throws {
        let new = Set(added).subtracting(names)
        guard !new.isEmpty else { return }
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if !FileManager.default.fileExists(atPath: path) {
                try Data().write(to: URL(fileURLWithPath: path), options: .withoutOverwriting)
            }
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.seekToEnd()
            try file.write(contentsOf: Data(new.sorted().map { $0 + "\n" }.joined().utf8))
            try file.synchronize()
            try file.close()
            ExternalData.synchronize(folder: folder)
        } catch {
            throw StoreError(
                .externalData, "the list of external files \(path) cannot be written: \(error)",
                way: "make \(folder) writable and free space on its disk")
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
        let folder = folder(external)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(suffix) }.map { "\(folder)/\($0)" }
    }

    /// Whether a save was broken off, or runs.
    static func isThere(_ external: ExternalData) -> Bool { !leftBehind(external).isEmpty }

    /// Removes the files of saves that were broken off, where no row names them. Does nothing while another process
    /// writes: the next writer tries again.
    static func recover(_ store: Store, _ connection: Connection) throws {
        guard isThere(store.externalData) else { return }
        let timeout = connection.busyTimeout
        connection.busyTimeout = 0
        defer { connection.busyTimeout = timeout }
        do {
            // Under the lock no journal is of a save that is still to commit.
            try connection.execute("BEGIN IMMEDIATE")
        } catch let error as SQLiteError where error.isBusy {
            return
        }
        defer { connection.rollback() }
        let used = try ExternalReferences.names(store, connection)
        for journal in leftBehind(store.externalData) {
            let text = FileManager.default.contents(atPath: journal).map { String(decoding: $0, as: UTF8.self) } ?? ""
            for name in text.split(separator: "\n").map(String.init)
            where UUID(uuidString: name) != nil && !used.contains(name) {
                try? FileManager.default.removeItem(atPath: store.externalData.path(of: name))
            }
            try? FileManager.default.removeItem(atPath: journal)
        }
    }
}

/// Which external files the store's rows name.
enum ExternalReferences {
    /// All names, read through the connection as its transaction sees the rows.
    static func names(_ store: Store, _ connection: Connection) throws -> Set<String> {
        var columns: Set<[String]> = []
        for entity in store.layout.entities {
            for leaf in entity.attributes.flatMap(\.leaves) where leaf.isExternal {
                if let column = leaf.column { columns.insert([entity.table, entity.columns[column]]) }
            }
        }
        var names: Set<String> = []
        for column in columns.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let name = column[1].sqlIdentifier
            // A reference has 38 bytes; the length of a longer value is known without reading it.
            let sql = "SELECT \(name) FROM \(column[0].sqlIdentifier) WHERE length(\(name)) BETWEEN 37 AND 38"
            try connection.cached(sql).forEach { row in
                if let name = ExternalData.reference(in: row.blob(0) ?? []) { names.insert(name) }
            }
        }
        return names
    }
}
