import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

@Suite
struct ExternalDataTests {
    static let large = Data(repeating: 0xAB, count: ExternalData.threshold + 1)

    private func files(_ sample: SampleStore) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: sample.store.externalData.folder)) ?? []
    }

    @Test("a value at the threshold stays in its row, a larger one goes to a file that the row names")
    func threshold() throws {
        let sample = try SampleStore()
        let small = Data(repeating: 1, count: ExternalData.threshold)
        let inside = try sample.insert("Book", ["pages": .integer(1), "cover": .data(small)])
        #expect(files(sample) == [])
        let outside = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])

        let name = try #require(files(sample).first)
        let column = try #require(try sample.scalar("SELECT ZCOVER FROM ZBOOK WHERE Z_PK = \(outside)")?.blobValue)
        #expect(column == [2] + Array(name.utf8) + [0])
        #expect(column.count == 38)
        #expect(sample.store.externalData.folder == sample.folder.path + "/.library_SUPPORT/_EXTERNAL_DATA")
        #expect(try sample.value("Book", inside, "cover") == .data(small))
        #expect(try sample.value("Book", outside, "cover") == .data(Self.large))
        try sample.expectSound()
    }

    @Test("a save that fails leaves no file behind")
    func rollback() throws {
        let sample = try SampleStore()
        #expect(throws: CancellationError.self) {
            try sample.save { save in
                try SampleStore.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)], in: save)
                #expect(files(sample).count == 1)
                throw CancellationError()
            }
        }
        #expect(files(sample) == [])
        #expect(try sample.count("ZBOOK") == 0)
    }

    @Test("the file of a replaced value, and that of a deleted object, goes after the commit")
    func replaced() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let first = files(sample)
        try sample.update("Book", key, ["cover": .data(Self.large + [1])])
        let second = files(sample)
        #expect(second.count == 1)
        #expect(second != first)
        #expect(try sample.value("Book", key, "cover") == .data(Self.large + [1]))

        try sample.update("Book", key, ["title": .string("untouched")])
        #expect(files(sample) == second)
        try sample.update("Book", key, ["cover": .data(Data([1]))])
        #expect(files(sample) == [])
        try sample.update("Book", key, ["cover": .data(Self.large)])
        try sample.delete("Book", key)
        #expect(files(sample) == [])
        try sample.expectSound()
    }

    @Test("the old file stays when the save that replaces it fails")
    func replacementFails() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let before = files(sample)
        let entity = try sample.entity("Book")
        let leaf = try #require(entity.attribute("cover")?.leaf)
        #expect(throws: CancellationError.self) {
            try sample.save { save in
                let value = try save.encode(.data(Self.large + [1]), as: leaf)
                let column = try #require(leaf.column)
                _ = try save.update(entity, key: key, expecting: nil, columns: [(column, value)], changed: ["cover"])
                throw CancellationError()
            }
        }
        #expect(files(sample) == before)
        #expect(try sample.value("Book", key, "cover") == .data(Self.large))
    }

    @Test("an update that finds another version leaves the old file, and removes the one it wrote")
    func conflict() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let before = files(sample)
        #expect(try !sample.update("Book", key, ["cover": .data(Self.large + [1])], expecting: 9))
        #expect(files(sample) == before)
        #expect(try sample.value("Book", key, "cover") == .data(Self.large))
    }

    @Test("a reference to a file that is gone is a value of its own, and a violation")
    func missing() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let name = try #require(files(sample).first)
        try FileManager.default.removeItem(atPath: sample.store.externalData.path(of: name))
        #expect(try sample.value("Book", key, "cover") == .missingExternalData(name: name))
        #expect(try sample.violations().map { [$0.rule, $0.place] } == [["external-file", "ZBOOK 1.cover"]])
    }

    @Test("a store that is moved takes its values along only with its folder; everything else is read without")
    func moved() throws {
        let sample = try SampleStore()
        let key = try sample.insert(
            "Book", ["pages": .integer(1), "title": .string("Moved"), "cover": .data(Self.large)])
        _ = try sample.connection.checkpoint(.truncate)
        let folder = try TemporaryFolder()
        let path = folder.file("library.sqlite")
        try FileManager.default.copyItem(atPath: sample.path, toPath: path)
        func value(_ attribute: String) throws -> AttributeValue? {
            let store = try Store.open(path)
            let entity = try store.layout.entity("Book")
            let leaf = try #require(entity.attribute(attribute)?.leaf)
            let raw = try StoreConnector.offlineReader(path).scalar(
                "SELECT \(entity.columns[try #require(leaf.column)]) FROM ZBOOK WHERE Z_PK = ?", [.integer(key)])
            return ValueCoding.decode(try #require(raw), as: leaf, external: store.externalData)
        }
        guard case .missingExternalData? = try value("cover") else {
            Issue.record("the value should be missing")
            return
        }
        #expect(try value("title") == .string("Moved"))
        try FileManager.default.copyItem(
            atPath: sample.folder.file(".library_SUPPORT"), toPath: folder.file(".library_SUPPORT"))
        #expect(try value("cover") == .data(Self.large))
    }

    @Test("a reference never leads out of the folder")
    func escape() {
        #expect(ExternalData.reference(in: [2] + Array("../../../../../../../../../../../etc/pw".utf8) + [0]) == nil)
        #expect(ExternalData.reference(in: [1, 2, 3]) == nil)
        #expect(ExternalData.reference(in: [UInt8]()) == nil)
        let name = UUID().uuidString
        #expect(ExternalData.reference(in: [2] + Array(name.utf8) + [0]) == name)
    }

    @Test("a file that two rows name stays until the last of them goes")
    func shared() throws {
        let sample = try SampleStore()
        let first = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let second = try sample.insert("Book", ["pages": .integer(2)])
        try sample.connection.execute("UPDATE ZBOOK SET ZCOVER = (SELECT ZCOVER FROM ZBOOK WHERE Z_PK = \(first))")
        try sample.delete("Book", first)
        #expect(files(sample).count == 1)
        #expect(try sample.value("Book", second, "cover") == .data(Self.large))
        try sample.update("Book", second, ["cover": nil])
        #expect(files(sample) == [])
    }

    @Test("a link or a pipe in the place of a file is no file")
    func notAFile() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let name = try #require(files(sample).first)
        let path = sample.store.externalData.path(of: name)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/etc/hostname")
        #expect(try sample.value("Book", key, "cover") == .missingExternalData(name: name))
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try sample.value("Book", key, "cover") == .missingExternalData(name: name))
    }

    /// The support folder's own files: the journal, while a save runs.
    private func journals(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder + "/.library_SUPPORT").filter {
            $0 != "_EXTERNAL_DATA"
        }
    }

    @Test("a process that is killed in a save leaves files that the next writer removes")
    func killedInASave() throws {
        let sample = try SampleStore()
        try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        #expect(try journals(sample.folder.path) == [])
        let left = try TemporaryFolder()
        try FileManager.default.removeItem(atPath: left.path)
        try sample.save { save in
            try SampleStore.insert("Book", ["pages": .integer(2), "cover": .data(Self.large)], in: save)
            // What would be on the disk if the process ended here.
            try FileManager.default.copyItem(atPath: sample.folder.path, toPath: left.path)
        }
        #expect(try journals(left.path).count == 1)
        let path = left.file("library.sqlite")
        let store = try Store.open(path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.externalData.folder).count == 2)
        let stranger = store.externalData.path(of: UUID().uuidString)
        try Data([1]).write(to: URL(fileURLWithPath: stranger))
        let writer = try StoreWriter(store: store)
        #expect(try writer.connection.scalar("SELECT count(*) FROM ZBOOK") == 1)
        // The file of the row, and the one that nobody knows of.
        #expect(try FileManager.default.contentsOfDirectory(atPath: store.externalData.folder).count == 2)
        #expect(FileManager.default.fileExists(atPath: stranger))
        #expect(try journals(left.path) == [])
    }

    @Test("a process that is killed after its commit leaves files that the next writer removes")
    func killedAfterTheCommit() throws {
        let sample = try SampleStore()
        let key = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let kept = try sample.insert("Book", ["pages": .integer(1), "cover": .data(Self.large)])
        let folder = sample.store.externalData.folder
        var journal = ""
        try sample.save { save in
            try SampleStore.insert("Book", ["pages": .integer(2), "cover": .data(Self.large)], in: save)
            journal = try #require(try journals(sample.folder.path).first)
        }
        let names = files(sample)
        try sample.delete("Book", key)
        let gone = try #require(names.first { !files(sample).contains($0) })
        // The commit is done, the removal is not: its files and its list are still there.
        try Self.large.write(to: URL(fileURLWithPath: folder + "/" + gone))
        try Data(names.map { $0 + "\n" }.joined().utf8).write(
            to: URL(fileURLWithPath: sample.folder.file(".library_SUPPORT/\(journal)")))
        _ = try StoreWriter(store: sample.store)
        #expect(files(sample).sorted() == names.filter { $0 != gone }.sorted())
        #expect(try journals(sample.folder.path) == [])
        #expect(try sample.value("Book", kept, "cover") == .data(Self.large))
    }
}
