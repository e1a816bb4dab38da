import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What is left of a migration, an adoption or a restore that was killed, and who removes it.
@Suite struct LeftoverTests {
    private struct Killed: Error {}

    private func model(_ photo: AttributeDescription?) -> ModelDescription {
        Short.model(Short.entity("Note", [Short.attribute("title")] + (photo.map { [$0] } ?? [])))
    }

    private let photo = Short.attribute("photo", .binaryData, external: true)

    /// A store whose only note has a photo in a file, beside which another program has put a file that no row names.
    private func sample() throws -> (sample: MigrationSample, files: String, stranger: String) {
        let sample = try MigrationSample(model(photo))
        try sample.write { writer in
            _ = try writer.save(SampleStore.authority, TransactionIdentity()) {
                try SampleStore.insert("Note", ["photo": .data(ExternalDataTests.large)], in: $0)
            }
        }
        let files = sample.folder.file(".Sample_SUPPORT/_EXTERNAL_DATA")
        let stranger = UUID().uuidString
        try Data("x".utf8).write(to: URL(fileURLWithPath: "\(files)/\(stranger)"))
        return (sample, files, stranger)
    }

    /// Ends a migration at a stage as if the process were killed there: what it would clean up stays.
    private func end(_ sample: MigrationSample, to new: ModelDescription, at stage: MigrationStage) throws {
        #expect(throws: Killed.self) {
            try sample.migrate(
                to: new, allowsDataLoss: true,
                hooks: MigrationHooks(reached: { if $0 == stage { throw Killed() } }))
        }
    }

    enum Cleaner: String, CaseIterable { case writer, migration, repair }

    @Test(
        "external files that a migration made useless go with the next writer, migration or repair, and no others",
        arguments: Cleaner.allCases, [true, false])
    func afterTheSwap(cleaner: Cleaner, isRemoved: Bool) throws {
        let (sample, files, stranger) = try sample()
        let new = model(isRemoved ? nil : Short.attribute("photo", .binaryData))
        try end(sample, to: new, at: .swapped)
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 2)
        switch cleaner {
        case .writer: _ = try StoreWriter(store: Store.open(sample.path))
        case .migration: #expect(try !sample.migrate(to: new).plan.isNeeded)
        case .repair:
            let said = try StoreRepair.repair(Store.open(sample.path))
            #expect(said == ["external files of something that was broken off were removed: 1"])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: files) == [stranger])
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: sample.folder.file(".Sample_SUPPORT"))
                == ["_EXTERNAL_DATA"])
        if !isRemoved { #expect(try sample.rows("SELECT length(ZPHOTO) FROM ZNOTE") == ["131073"]) }
    }

    @Test("a migration that was ended before the swap costs no file")
    func beforeTheSwap() throws {
        let (sample, files, _) = try sample()
        try end(sample, to: model(nil), at: .verified)
        _ = try StoreWriter(store: Store.open(sample.path))
        #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 2)
    }

    @Test("who has the lock removes drafts of copies and new stores, and nothing that only looks like them")
    func drafts() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let mine = [
            "library.sqlite.before-migration-20260101T000000Z.sqlite", "library.sqlite-wal2", "library.sqlite.bak",
            "other.sqlite-coexist-migration", "other.sqlite.before-coexist-1.sqlite.partial-1.tmp",
        ]
        let drafts = [
            "library.sqlite-coexist-migration", "library.sqlite-coexist-migration-journal",
            "library.sqlite-coexist-restore", "library.sqlite-coexist-restore-wal",
            "library.sqlite.before-coexist-20260101T000000Z.sqlite.partial-0A1B2C3D.tmp",
            ".library.sqlite.before-migration-20260101T000000Z.sqlite.partial-0A1B2C3D_SUPPORT/_EXTERNAL_DATA/F",
        ]
        let before = try FolderContents(folder.path).files
        for name in mine + drafts {
            let url = URL(fileURLWithPath: folder.file(name))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: url)
        }
        #expect(StoreLeftovers.found(of: path).count == drafts.count)
        StoreLeftovers.settle(path)
        #expect(Set(try FolderContents(folder.path).files.keys) == Set(before.keys).union(mine))
    }

    @Test("a restore that was ended after the exchange is finished: the old store gets its name")
    func exchanged() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let old = path + "-coexist-replaced.old"
        try FileManager.default.copyItem(atPath: path, toPath: old)
        let files = folder.file(".library.sqlite-coexist-replaced_SUPPORT")
        try FileManager.default.copyItem(atPath: folder.file(".library_SUPPORT"), toPath: files)
        StoreLeftovers.settle(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let kept = try #require(names.first { $0.hasPrefix("library.sqlite.replaced-") })
        #expect(names.count == 4, "\(names)")
        for path in [path, folder.file(kept)] {
            let store = try Store.open(path)
            #expect(try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store) == [])
        }
    }

    @Test("a restore that was ended before the exchange is undone: the store has its log again")
    func notExchanged() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let before = try FolderContents(folder.path).files
        try Data("new".utf8).write(to: URL(fileURLWithPath: path + "-coexist-restore"))
        link(path, path + "-coexist-replaced.old")
        try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-coexist-replaced.old-wal"))
        StoreLeftovers.settle(path)
        var after = try FolderContents(folder.path).files
        #expect(after.removeValue(forKey: "library.sqlite-wal") == Data("log".utf8))
        #expect(after == before)
    }

    @Test("a log that was moved away before the store was written again does not come back")
    func olderLog() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        try Data("log".utf8).write(to: URL(fileURLWithPath: path + "-coexist-replaced.old-wal"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: path)
        let before = try FolderContents(folder.path).files
        StoreLeftovers.settle(path)
        let after = try FolderContents(folder.path).files
        #expect(Set(before.keys).subtracting(after.keys) == ["library.sqlite-coexist-replaced.old-wal"])
        #expect(after.count == before.count - 1)
    }
}
