import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// A store that is reached through a link, or through a folder that is one: whoever comes that way meets whoever comes by
/// the file's own name.
@Suite struct LinkedStoreTests {
    /// How the store is reached.
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case fileLink, folderLink
        var testDescription: String { rawValue }
    }

    private let folder: TemporaryFolder
    private let place: String
    private let real: String

    init() throws {
        folder = try TemporaryFolder()
        let inner = try TemporaryFolder()
        _ = try Museum.copy(to: inner)
        place = folder.file("real")
        try FileManager.default.copyItem(atPath: inner.path, toPath: place)
        real = place + "/library.sqlite"
    }

    private func link(_ way: Way) throws -> String {
        let files = FileManager.default
        switch way {
        case .fileLink:
            try files.createDirectory(atPath: folder.file("links"), withIntermediateDirectories: true)
            try files.createSymbolicLink(
                atPath: folder.file("links/other.db"), withDestinationPath: "../real/library.sqlite")
            return folder.file("links/other.db")
        case .folderLink:
            try files.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: place)
            return folder.file("link/library.sqlite")
        }
    }

    private func names(_ path: String) throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: path))
    }

    private func violations(_ path: String) throws -> [Violation] {
        let store = try Store.open(path)
        return try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
    }

    @Test(arguments: Way.allCases) func lockQueueNoticesAndFilesAreThoseOfTheFileItself(way: Way) throws {
        let link = try link(way)
        let lock = try StoreLock(storePath: link)
        #expect(lock.path == real + "-coexist")
        #expect(StoreLock.isHeld(storePath: real) && StoreLock.isHeld(storePath: link))
        #expect(NoticeFolder.path(of: link) == real + "-coexist-notice")
        #expect(StoreQueue.path(of: link) == real + "-coexist-queue")
        #expect(ExternalData(storePath: link) == ExternalData(storePath: real))
        let store = try Store.open(link)
        #expect(store.path == real)
        #expect(store.externalData.folder == place + "/.library_SUPPORT/_EXTERNAL_DATA")
        #expect(try violations(link) == [])
    }

    @Test(arguments: Way.allCases) func aCommitByTheLinkIsToldToWhoWatchesTheFile(way: Way) throws {
        let link = try link(way)
        let told = DispatchSemaphore(value: 0)
        let watcher = try CommitWatcher(store: Store.open(real)) { _ in told.signal() }
        watcher.start()
        defer { watcher.stop() }
        let writer = try StoreWriter(store: Store.open(link))
        #expect(try names(place).contains("library.sqlite-coexist-notice"))
        let authority = SaveAuthority(
            stack: .legacy, instanceName: "tests", epochs: try OwnershipRegister.read(writer.connection)?.epochs ?? [:])
        _ = try writer.save(authority, TransactionIdentity()) {
            try SampleStore.insert("Work", ["image": .data(ExternalDataTests.large)], in: $0)
        }
        #expect(told.wait(timeout: .now() + 60) == .success)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store(real).externalData.folder).count == 2)
        if way == .fileLink { #expect(try names(folder.file("links")) == ["other.db"]) }
    }

    private func store(_ path: String) throws -> Store { try Store.open(path) }

    @Test(arguments: Way.allCases) func aRestoreReplacesTheFileAndNotTheLink(way: Way) throws {
        let link = try link(way)
        let backup = folder.file("backup.db")
        try StoreBackup.copy(link, to: backup)
        #expect(try violations(backup) == [], "with its external data")
        try Museum.plant("UPDATE ZWORK SET ZTITLE = 'Dusk' WHERE Z_PK = 1", in: real)
        let report = try StoreRestore.restore(backup, to: link)
        let replaced = try #require(report.replaced)
        #expect(replaced.hasPrefix(real + ".replaced-"))
        let destination = try? FileManager.default.destinationOfSymbolicLink(
            atPath: way == .fileLink ? link : folder.file("link"))
        #expect(destination != nil)
        for (path, title) in [(real, "Dawn"), (link, "Dawn"), (replaced, "Dusk")] {
            #expect(
                try StoreConnector.offlineReader(path).scalar("SELECT ZTITLE FROM ZWORK WHERE Z_PK = 1")
                    == .text(title))
        }
        #expect(try violations(real) == [] && violations(replaced).filter { $0.rule.hasPrefix("external") } == [])
    }

    @Test(arguments: Way.allCases) func aMigrationsCopyHasTheExternalData(way: Way) throws {
        let link = try link(way)
        var model = Museum.model
        model.entities.append(.init(name: "Zone"))
        let report = try StoreMigrator(link, to: model).migrate()
        let backup = try #require(report.backup)
        #expect(backup.hasPrefix(real + ".before-migration-"))
        #expect(try violations(backup) == [] && violations(real) == [])
        if way == .fileLink { #expect(try names(folder.file("links")) == ["other.db"]) }
    }

    @Test func aLogThatIsNotYetInTheFileIsReadThroughTheLink() throws {
        let link = try link(.fileLink)
        let writer = try Connection(path: real, mode: .readWrite)
        try writer.setMainTriggersEnabled(false)
        try writer.execute("UPDATE ZWORK SET ZTITLE = 'Night' WHERE Z_PK = 1")
        // What a program that was killed leaves.
        try FileManager.default.copyItem(atPath: place, toPath: folder.file("killed"))
        try FileManager.default.removeItem(atPath: link)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.file("killed/library.sqlite"))
        try? FileManager.default.removeItem(atPath: folder.file("killed/library.sqlite-shm"))
        let before = try FolderContents(folder.path).files
        #expect(
            try StoreConnector.offlineReader(link).scalar("SELECT ZTITLE FROM ZWORK WHERE Z_PK = 1") == "Night")
        #expect(try FolderContents(folder.path).files == before)
    }

    @Test func aLinkThatLeadsNowhereIsNotReplaced() throws {
        let link = folder.file("nowhere.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.file("none"))
        expectStoreError(.notFound) { _ = try StoreRestore.restore(real, to: link) }
        expectStoreError(.alreadyExists) { try StoreBackup.copy(real, to: link) }
        expectStoreError(.alreadyExists) { try StoreCreator.create(link, model: SampleModels.library) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == folder.file("none"))
        #expect(!FileManager.default.fileExists(atPath: folder.file("none")))
    }
}
