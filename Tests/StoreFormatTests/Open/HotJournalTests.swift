import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A store with a rollback journal whose writer was killed in the middle: SQLite undoes what it had written when somebody
/// opens the file for writing, and cannot read it before.
@Suite struct HotJournalTests {
    /// Half of a transaction is in the file, and all of it in the journal.
    private func interrupted(_ folder: TemporaryFolder) throws -> String {
        let path = folder.file("library.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
        #expect(try Programs.sqlite3(path, "PRAGMA journal_mode=DELETE").output == "delete\n")
        let script = """
            import os, sqlite3
            c = sqlite3.connect('\(path)', isolation_level=None)
            c.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 7, 1, 'kept')")
            c.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_NAME = 'Tag'")
            c.execute("PRAGMA cache_size=1")
            c.execute("BEGIN IMMEDIATE")
            for i in range(2, 3000):
                c.execute("INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (?, 7, 1, ?)", (i, 'x' * 200 + str(i)))
            os._exit(9)
            """
        #expect(try Programs.run(#require(Programs.find("python3")), ["-c", script]).exitCode == 9)
        let size = try FileManager.default.attributesOfItem(atPath: path + "-journal")[.size] as? Int
        #expect(try #require(size) > 0)
        return path
    }

    @Test func aReaderSeesTheStoreAsItWasBeforeAndTouchesNothing() throws {
        let folder = try TemporaryFolder()
        let path = try interrupted(folder)
        let before = try FileImage.of(folder.path)
        let reader = try StoreConnector.offlineReader(path)
        let store = try Store.open(path)
        #expect(try reader.query("SELECT ZNAME FROM ZTAG") == [[.text("kept")]])
        #expect(try StoreVerifier.verify(reader, store: store) == [])
        #expect(try FileImage.of(folder.path) == before)
    }

    @Test func aWriterUndoesWhatWasCutOff() throws {
        let folder = try TemporaryFolder()
        let path = try interrupted(folder)
        let writer = try StoreWriter(store: Store.open(path))
        #expect(try writer.connection.query("SELECT ZNAME FROM ZTAG") == [[.text("kept")]])
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
    }
}
