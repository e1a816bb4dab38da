import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite
struct RestoreTests {
    private let folder: TemporaryFolder
    private let path: String
    private let backup: String

    /// A store at transaction 6 with an external file of its own, and a backup of it from transaction 4.
    init() throws {
        folder = try TemporaryFolder()
        path = try Museum.copy(to: folder)
        backup = folder.file("backup.db")
        try StoreBackup.copy(path, to: backup)
        let writer = try StoreWriter(store: try Store.open(path))
        let authority = SaveAuthority(
            stack: .legacy, instanceName: "tests", epochs: try OwnershipRegister.read(writer.connection)?.epochs ?? [:])
        for _ in 1...2 {
            _ = try writer.save(authority, TransactionIdentity()) { save in
                try SampleStore.insert("Work", ["image": .data(ExternalDataTests.large + [1])], in: save)
            }
        }
    }

    private func verified(_ path: String) throws -> [Violation] {
        let store = try Store.open(path)
        return try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
    }

    private func scalar(_ path: String, _ sql: String) throws -> SQLValue? {
        try StoreConnector.offlineReader(path).scalar(sql)
    }

    @Test("a restore brings the backup's state back and keeps the replaced store whole beside it")
    func restored() throws {
        let report = try StoreRestore.restore(backup, to: path)
        #expect(try scalar(path, "SELECT count(*) FROM ZWORK") == 3)
        #expect(try verified(path) == [])
        let replaced = try #require(report.replaced)
        #expect(replaced.hasPrefix(path + ".replaced-"))
        #expect(try scalar(replaced, "SELECT count(*) FROM ZWORK") == 5)
        #expect(try verified(replaced) == [])
        #expect(try verified(backup) == [])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains { $0.contains("restoring") || $0 == "library.sqlite-wal" }, "\(names)")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file(".library_SUPPORT/_EXTERNAL_DATA"))
        #expect(files.count == 1)
    }

    @Test("a restore says what the backup lacks, and begins a timeline whose numbers were never handed out")
    func timeline() throws {
        let report = try StoreRestore.restore(backup, to: path)
        #expect(report.last == 4)
        #expect(report.timeline == 2)
        #expect(report.warnings.count == 1)
        #expect(report.warnings.first?.contains("2 newer transactions") ?? false)
        let store = try Store.open(path)
        let writer = try StoreWriter(store: store)
        let state = try CoexistenceState.read(writer.connection)
        #expect(state.timeline == 2)
        expectStoreError(.tokenExpired) {
            _ = try HistoryToken(parsing: "\(store.uuid):1:4", storeUUID: store.uuid, timeline: state.timeline)
        }
        let authority = SaveAuthority(
            stack: .legacy, instanceName: "tests", epochs: try OwnershipRegister.read(writer.connection)?.epochs ?? [:])
        let number = try writer.save(authority, TransactionIdentity()) { try SampleStore.insert("Lamp", in: $0) }.1
        #expect(number == 7)
        #expect(try StoreVerifier.verify(writer.connection, store: writer.store) == [])
        #expect(try HistoryReader(writer.connection, store: store).transactions(after: 4).map(\.number) == [7])
    }

    @Test("of a store that is not adopted the numbers go on as well")
    func notAdopted() throws {
        let sample = try SampleStore()
        try sample.insert("Shelf")
        let old = folder.file("old.db")
        try StoreBackup.copy(sample.path, to: old)
        for _ in 1...3 { try sample.insert("Shelf") }
        let place = folder.file("place.sqlite")
        try StoreBackup.copy(sample.path, to: place)
        let report = try StoreRestore.restore(old, to: place)
        #expect(report.timeline == nil)
        #expect(try scalar(place, "SELECT count(*) FROM ZSHELF") == 1)
        #expect(try scalar(place, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002") == 4)
        #expect(try verified(place) == [])
    }

    @Test("the log of a store that cannot be read goes with it, and not into the new one")
    func damagedPlace() throws {
        let image = try #require(FileManager.default.contents(atPath: path))
        try Data(image.prefix(50)).write(to: URL(fileURLWithPath: path))
        try Data(repeating: 1, count: 5_000).write(to: URL(fileURLWithPath: path + "-wal"))
        let report = try StoreRestore.restore(backup, to: path)
        let replaced = try #require(report.replaced)
        #expect(FileManager.default.contents(atPath: replaced)?.count == 50)
        #expect(FileManager.default.contents(atPath: replaced + "-wal")?.count == 5_000)
        #expect(report.warnings.first?.contains("cannot be read") ?? false)
        #expect(try verified(path) == [])
        // What timelines there were is not known, so the new one lies beyond any small count.
        #expect(report.timeline ?? 0 > 1_000_000)
    }

    @Test("to a path where nothing is, a backup is only copied")
    func empty() throws {
        let other = folder.file("new.sqlite")
        try Data("stale".utf8).write(to: URL(fileURLWithPath: other + "-wal"))
        let report = try StoreRestore.restore(backup, to: other)
        #expect(report.replaced == nil)
        #expect(report.warnings == [])
        #expect(try verified(other) == [])
    }

    @Test("a backup of another store, a damaged one, the store itself and a store in use are refused")
    func refused() throws {
        let before = try FolderContents(folder.path)
        let other = try SampleStore()
        let copy = folder.file("other.db")
        try StoreBackup.copy(other.path, to: copy)
        expectStoreError(.otherStore) { _ = try StoreRestore.restore(copy, to: path) }
        expectStoreError(.refused) { _ = try StoreRestore.restore(path, to: path) }
        expectStoreError(.notFound) { _ = try StoreRestore.restore(folder.file("none"), to: path) }
        try FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: backup, toPath: copy)
        try Pages.overwrite("ZLAMP", in: copy)
        expectStoreError(.damaged) { _ = try StoreRestore.restore(copy, to: path) }
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        #expect(try FolderContents(folder.path).files == before.files)
    }

    @Test("readers of the backup's history have to read everything once: what they acknowledged was of the other life")
    func consumers() throws {
        let old = try StoreWriter(store: try Store.open(backup))
        try old.connection.execute("INSERT INTO COEXIST_CONSUMER VALUES ('search', 4, 'active', 1)")
        _ = try old.connection.checkpoint(.truncate)
        _ = try StoreRestore.restore(backup, to: path)
        let store = try Store.open(path)
        let connection = try StoreConnector.offlineReader(path)
        #expect(try ConsumerRegister(connection, store: store).all().map(\.state) == [.expired])
    }
}
