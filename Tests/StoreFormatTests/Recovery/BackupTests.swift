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

    @Test("a copy whose external files would lie where another store has its own is refused")
    func sharedPlace() throws {
        let sample = try Museum.make()
        let folder = try TemporaryFolder()
        try StoreBackup.copy(sample.path, to: folder.file("library.one"))
        let before = try FolderContents(folder.path).files
        let error = expectStoreError(.externalData) {
            try StoreBackup.copy(sample.path, to: folder.file("library.two"))
        }
        #expect(error?.message.contains("library.one") == true)
        #expect(try FolderContents(folder.path).files == before)
        // A store without files of its own would take the other's for its own as well.
        let plain = try SampleStore()
        expectStoreError(.externalData) { try StoreBackup.copy(plain.path, to: folder.file("library.two")) }
        expectStoreError(.externalData) {
            _ = try StoreSalvage.salvage(sample.path, to: sample.folder.file("library.saved"))
        }
        // Beside the store itself it would lose what the store removes.
        expectStoreError(.externalData) { try StoreBackup.copy(sample.path, to: sample.folder.file("library.bak")) }
        // A letter is no store.
        let other = try TemporaryFolder()
        try Data("Dear Sir".utf8).write(to: URL(fileURLWithPath: other.file("library.txt")))
        try StoreBackup.copy(sample.path, to: other.file("library.two"))
    }

    @Test(
        "copies beside a store are named so that each has its external files to itself",
        arguments: ["library.sqlite", "library.store", "library"])
    func names(name: String) throws {
        let folder = try TemporaryFolder()
        let store = folder.file(name)
        var places = [ExternalData(storePath: store).folder]
        for label in ["before-coexist", "before-coexist", "replaced"] {
            let copy = StoreBackup.path(beside: store, label: label)
            #expect(copy.hasPrefix("\(store).\(label)-"))
            try Data().write(to: URL(fileURLWithPath: copy))
            places.append(ExternalData(storePath: copy).folder)
        }
        #expect(Set(places).count == 4, "\(places)")
    }

    @Test("a copy has its name when it is whole, and so have its external files")
    func draft() throws {
        let sample = try Museum.make()
        let folder = try TemporaryFolder()
        var seen: Set<String> = []
        try StoreBackup.copy(sample.path, to: folder.file("copy.sqlite")) { _, _ in
            seen.formUnion((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        }
        #expect(seen.contains { $0.hasPrefix("copy.sqlite.partial-") })
        #expect(seen.contains { $0.hasPrefix(".copy.sqlite.partial-") && $0.hasSuffix("_SUPPORT") })
        #expect(seen.allSatisfy { $0.contains(".partial-") }, "\(seen)")
        #expect(
            try Set(FileManager.default.contentsOfDirectory(atPath: folder.path))
                == ["copy.sqlite", ".copy_SUPPORT"])
    }

    @Test("a copy of a damaged store is made, and said to be damaged")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        #expect(try StoreBackup.copy(path, to: folder.file("sound.db")) == nil)
        try Pages.overwrite("ZLAMP", in: path)
        let problem = try #require(try StoreBackup.copy(path, to: folder.file("damaged.db")))
        // The shell says it in the same words.
        let check = try Programs.sqlite3(folder.file("damaged.db"), "PRAGMA quick_check(1)")
        #expect(check.lines.last == problem, "\(check)")
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
