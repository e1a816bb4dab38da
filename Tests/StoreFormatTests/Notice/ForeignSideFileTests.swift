import Foundation
import StoreFormat
import TestKit
import Testing

/// Links and files of somebody else's at the names of what lies beside a store.
@Suite struct ForeignSideFileTests {
    private let sample: SampleStore
    private let elsewhere: TemporaryFolder
    private let precious: String

    init() throws {
        sample = try SampleStore()
        elsewhere = try TemporaryFolder()
        precious = elsewhere.file("precious")
        try Data("keep me".utf8).write(to: URL(fileURLWithPath: precious))
    }

    private func link(_ suffix: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: sample.path + suffix, withDestinationPath: target)
    }

    private func isUntouched(_ location: SourceLocation = #_sourceLocation) {
        #expect(FileManager.default.contents(atPath: precious) == Data("keep me".utf8), sourceLocation: location)
    }

    @Test func aLinkInTheLockFilesPlaceIsNotFollowed() throws {
        try link("-coexist", to: precious)
        expectStoreError(.accessDenied) { _ = try StoreLock(storePath: sample.path) }
        #expect(StoreLock.holder(of: sample.path) == nil)
        isUntouched()
    }

    @Test func aFileThatHasAnotherNameIsNotWrittenAsALockFile() throws {
        try FileManager.default.linkItem(atPath: precious, toPath: sample.path + "-coexist")
        expectStoreError(.accessDenied) { _ = try StoreLock(storePath: sample.path) }
        isUntouched()
    }

    @Test func aPipeInTheLockFilesPlaceIsNotWaitedFor() throws {
        #expect(mkfifo(sample.path + "-coexist", 0o600) == 0)
        expectStoreError(.accessDenied) { _ = try StoreLock(storePath: sample.path) }
        _ = StoreLock.isHeld(storePath: sample.path)
    }

    @Test func aLinkInTheNoticeFoldersPlaceIsNotFollowed() throws {
        try link("-coexist-notice", to: elsewhere.path)
        let watcher = try CommitWatcher(store: sample.store) { _ in }
        watcher.start()
        try sample.insert("Tag", ["name": .string("a")])
        watcher.stop()
        NoticeFolder.remove(of: sample.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == ["precious"])
        isUntouched()
    }

    @Test func whatIsNoSocketInTheNoticeFolderStays() throws {
        let folder = NoticeFolder.path(of: sample.path)
        let watcher = try CommitWatcher(store: sample.store) { _ in }
        try Data("keep me too".utf8).write(to: URL(fileURLWithPath: folder + "/note"))
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: precious)
        try sample.insert("Tag", ["name": .string("a")])
        withExtendedLifetime(watcher) {}
        NoticeFolder.remove(of: sample.path)
        #expect(FileManager.default.contents(atPath: folder + "/note") == Data("keep me too".utf8))
        #expect(FileManager.default.contents(atPath: folder + "/link") == Data("keep me".utf8))
    }
}
