import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

@Suite
struct BackupTests {
    @Test("a backup holds what is only in the log, the external files too, and leaves the store as it is")
    func uncheckpointed() throws {
        let sample = try Museum.make()
        let before = try FolderContents(sample.folder.path)
        let folder = try TemporaryFolder()
        let target = folder.file("copy.sqlite")
        try StoreBackup.copy(sample.path, to: target)
        #expect(try FolderContents(sample.folder.path).files == before.files)
        let copy = try Store.open(target)
        let connection = try StoreConnector.offlineReader(target)
        #expect(try HistoryReader(connection, store: copy).extent().last == 4)
        #expect(try connection.scalar("SELECT ZTITLE FROM ZWORK WHERE Z_PK = 1") == "Dawn")
        #expect(try StoreVerifier.verify(connection, store: copy) == [])
        let files = try FileManager.default.contentsOfDirectory(atPath: copy.externalData.folder)
        #expect(files.count == 1)
    }

    @Test("the backup is of one moment, though the store is written while it is made")
    func meanwhile() throws {
        let sample = try Museum.make()
        let authority = try sample.authority()
        let folder = try TemporaryFolder()
        let target = folder.file("copy.sqlite")
        var steps = 0
        try StoreBackup.copy(sample.path, to: target) { _, _ in
            steps += 1
            if steps == 1 { _ = try? sample.insert("Lamp", [:], authority) }
        }
        #expect(try sample.count("ZLAMP") == 3)
        let copy = try Store.open(target)
        let connection = try StoreConnector.offlineReader(target)
        #expect(try connection.scalar("SELECT count(*) FROM ZLAMP") == 2)
        #expect(try StoreVerifier.verify(connection, store: copy) == [])
    }

    @Test("two copies that have their external files in one place do not take each other's")
    func sharedPlace() throws {
        let sample = try Museum.make()
        let folder = try TemporaryFolder()
        let targets = ["library.one", "library.two"].map { folder.file($0) }
        for target in targets { try StoreBackup.copy(sample.path, to: target) }
        StoreBackup.remove(targets[0])
        let copy = try Store.open(targets[1])
        #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(targets[1]), store: copy) == [])
        StoreBackup.remove(targets[1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        // Beside the store itself it would lose what the store removes.
        expectStoreError(.externalData) { try StoreBackup.copy(sample.path, to: sample.folder.file("library.bak")) }
    }

    @Test("what lies at the target stays, and a copy that fails leaves nothing")
    func failures() throws {
        let sample = try Museum.make()
        let folder = try TemporaryFolder()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder.file("taken")))
        expectStoreError(.alreadyExists) { try StoreBackup.copy(sample.path, to: folder.file("taken")) }
        #expect(throws: StoreError.self) { try StoreBackup.copy(sample.path, to: folder.file("none/copy")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken"])
    }
}
