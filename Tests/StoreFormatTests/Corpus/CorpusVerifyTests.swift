import Foundation
import StoreFormat
import TestKit
import Testing

@Suite(Corpus.condition)
struct CorpusVerifyTests {
    @Test(
        "the findings in a real store are those of the independent checker", Oracle.condition, arguments: Corpus.names)
    func sameAsChecker(_ name: String) throws {
        let folder = try TemporaryFolder()
        guard let store = try Corpus.open(name, in: folder) else { return }
        let connection = try StoreConnector.offlineReader(store.path)
        let found = try StoreVerifier.verify(connection, store: store)
        let expected = try #require(try Oracle.check(store.path))
        let ours = Set(found.filter { $0.severity != .warning }.map { [$0.rule, $0.place] })
        let theirs = Set(expected.map { [$0.rule, $0.where] })
        #expect(ours == theirs, "\(found.filter { !theirs.contains([$0.rule, $0.place]) }.prefix(20))")
    }

    @Test("reading a real store leaves it as it is", arguments: Corpus.names)
    func untouched(_ name: String) throws {
        let folder = try TemporaryFolder()
        let path = try Corpus.copy(name, to: folder)
        let before = try FolderContents(folder.path)
        if let store = try? Store.open(path) {
            _ = try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
        }
        #expect(try FolderContents(folder.path).files == before.files)
    }
}
