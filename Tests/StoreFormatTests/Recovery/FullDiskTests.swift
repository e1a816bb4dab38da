import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Disks that are full, or may only be read: the error says so, names the file, and nothing is left of what was begun.
@Suite(.enabled(if: SmallDisk.isPossible, "file systems cannot be mounted here"))
struct FullDiskTests {
    private static let model = Short.model(
        Short.entity("Note", [Short.attribute("title"), Short.attribute("photo", .binaryData, external: true)]))

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
    }

    private func expectDiskFull(
        _ file: String, _ location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
        let found = expectStoreError(.diskFull, location, body)
        let error = try #require(found, sourceLocation: location)
        #expect(error.message.contains(file), "\(error)", sourceLocation: location)
        #expect(error.message.contains("bytes free"), "\(error)", sourceLocation: location)
        #expect(error.way.contains("free space"), sourceLocation: location)
        #expect(!error.message.contains("Domain"), "no error of the system in raw: \(error)", sourceLocation: location)
    }

    @Test("a large value for which there is no room")
    func externalFile() throws {
        let disk = try SmallDisk(bytes: 4 << 20)
        let writer = try StoreWriter(store: StoreCreator.create(disk.file("S.sqlite"), model: Self.model))
        func save() throws {
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) {
                try SampleStore.insert("Note", ["photo": .data(ExternalDataTests.large)], in: $0)
            }
        }
        try save()
        let before = try names(disk.path)
        try disk.fill(leaving: 64 << 10)
        try expectDiskFull(".S_SUPPORT/_EXTERNAL_DATA/") { try save() }
        try disk.empty()
        #expect(try names(disk.path) == before)
        try save()
        #expect(try StoreVerifier.verify(writer.connection, store: writer.store) == [])
    }

    /// A store with an external file, outside the disk.
    private func sample() throws -> SampleStore {
        let sample = try SampleStore(Self.model)
        try sample.insert("Note", ["photo": .data(ExternalDataTests.large)])
        return sample
    }

    @Test("a backup, a restore, a salvage and a new store for which there is no room", arguments: [16, 160])
    func copies(kilobytes: Int) throws {
        let sample = try sample()
        let disk = try SmallDisk(bytes: 4 << 20)
        let target = disk.file("copy.sqlite")
        try disk.fill(leaving: kilobytes << 10)
        // With 16 kB nothing fits, with 160 either the external file or the store.
        try expectDiskFull("copy.sqlite") { try StoreBackup.copy(sample.path, to: target) }
        try expectDiskFull("copy.sqlite") { _ = try StoreSalvage.salvage(sample.path, to: target) }
        try expectDiskFull("/disk/") { _ = try StoreRestore.restore(sample.path, to: target) }
        #expect(try names(disk.path) == ["filling"])
        if kilobytes == 16 {
            try expectDiskFull("copy.sqlite") { try StoreCreator.create(target, model: Self.model) }
            #expect(try names(disk.path) == ["filling"])
        }
    }

    @Test("a file system that may only be read")
    func readOnly() throws {
        let sample = try sample()
        let disk = try SmallDisk(bytes: 4 << 20)
        try StoreBackup.copy(sample.path, to: disk.file("S.sqlite"))
        try disk.makeReadOnly()
        let before = try names(disk.path)
        let target = disk.file("copy.sqlite")
        for attempt: () throws -> Void in [
            { try StoreBackup.copy(sample.path, to: target) },
            { _ = try StoreSalvage.salvage(sample.path, to: target) },
            { try StoreCreator.create(target, model: Self.model) },
            { _ = try StoreRestore.restore(sample.path, to: disk.file("S.sqlite")) },
            { _ = try StoreLock(storePath: disk.file("S.sqlite")) },
        ] {
            let error = expectStoreError(.readOnly) { try attempt() }
            #expect(error?.message.contains(disk.path) == true, "\(String(describing: error))")
        }
        #expect(try names(disk.path) == before)
    }

    @Test("a migration whose new content is committed, and whose log finds no room in the store")
    func migrationLog() throws {
        let disk = try SmallDisk(bytes: 8 << 20)
        let old = Short.model(Short.entity("Note", [Short.attribute("title")]))
        var new = old
        new.entities[0].fetchIndexes = [.init(name: "byTitle", elements: [.init(property: "title")])]
        new.entities[0].attributes.append(Short.attribute("color"))
        let path = disk.file("S.sqlite")
        try StoreCreator.create(path, model: old)
        try Connection(path: path, mode: .readWrite).execute(
            """
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO ZNOTE (Z_PK, Z_ENT, Z_OPT, ZTITLE) SELECT i, 1, 1, hex(randomblob(20)) FROM n;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 5000
            """)
        let report = try StoreMigrator(path, to: new).migrate(
            hooks: MigrationHooks(reached: { if $0 == .swapped { try disk.fill() } }))
        let warning = try #require(report.warnings.first)
        #expect(warning.contains(path + "-wal") && warning.contains("disk is full"), "\(warning)")
        #expect(report.warnings.count == 1)
        #expect(FileManager.default.fileExists(atPath: path + "-wal"))
        try disk.empty()
        let store = try Store.open(path)
        #expect(try store.metadata.versionHashes == new.versionHashes())
        #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store) == [])
        #expect(try StoreConnector.connect(path, .writer(.full)).checkpoint(.truncate).isComplete)
    }

    @Test("a save whose log finds no room in the store is done, and the writer says so until there is room")
    func saveLog() throws {
        let disk = try SmallDisk(bytes: 4 << 20)
        let store = try StoreCreator.create(disk.file("S.sqlite"), model: Self.model)
        let writer = try StoreWriter(store: store, maximumLogBytes: 64 << 10)
        func save(_ count: Int) throws {
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) { save in
                for _ in 0..<count {
                    let text = String(repeating: UUID().uuidString, count: 50)
                    try SampleStore.insert("Note", ["title": .string(text)], in: save)
                }
            }
        }
        try save(1)
        #expect(writer.logProblem == nil)
        try disk.fill(leaving: 640 << 10)
        try save(200)
        #expect(writer.logProblem?.code == .diskFull)
        try disk.empty()
        try save(600)
        #expect(writer.logProblem == nil)
        #expect(try writer.connection.scalar("SELECT count(*) FROM ZNOTE") == 801)
        #expect(try StoreVerifier.verify(writer.connection, store: writer.store) == [])
    }
}
