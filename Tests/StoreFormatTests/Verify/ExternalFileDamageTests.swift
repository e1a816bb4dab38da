import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// External files that are not as the rows that name them say.
@Suite
struct ExternalFileDamageTests {
    @Test("an external file that is missing or that no row names is found")
    func externalFiles() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let data = folder.file(".library_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: data).first)
        let other = "0B8C6F2E-1111-4222-8333-444455556666"
        try FileManager.default.moveItem(atPath: "\(data)/\(name)", toPath: "\(data)/\(other)")
        let found = try Museum.findings(path)
        #expect(found.map(\.rule) == ["external-file", "external-orphan"])
        #expect(found.map(\.place) == ["ZWORK 3.image", other])
        #expect(found.first?.what.contains(name) ?? false)
        // Where others may have the store open, a young file may be of a save that is running.
        let reader = try StoreConnector.connect(path, .reader)
        let store = try Store.open(path)
        let young = try StoreVerifier.verify(reader, store: store)
        #expect(young.map(\.rule) == ["external-file", "external-young"])
        #expect(
            young.last?.severity == .warning && young.last?.what.hasPrefix("1 file that no row names was made") == true)
        #expect(
            try StoreVerifier.verify(reader, store: store, judgesYoungFiles: true).map(\.rule)
                == ["external-file", "external-orphan"])
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: "\(data)/\(other)")
        #expect(try StoreVerifier.verify(reader, store: store).map(\.rule) == ["external-file", "external-orphan"])
        // A copy that is named by one more extension has its files in the same place.
        try FileManager.default.copyItem(atPath: path, toPath: folder.file("library.old"))
        #expect(try StoreVerifier.verify(reader, store: store).map(\.rule) == ["external-file"])
    }

    @Test("an external file that holds nothing, is none, or serves two values is found")
    func externalFilesThatAreWrong() throws {
        let folder = try TemporaryFolder()
        let path = try Museum.copy(to: folder)
        let data = folder.file(".library_SUPPORT/_EXTERNAL_DATA")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: data).first)
        let bytes = try #require(FileManager.default.contents(atPath: "\(data)/\(name)"))
        try Data().write(to: URL(fileURLWithPath: "\(data)/\(name)"))
        var found = try Museum.findings(path)
        #expect(found.map { [$0.rule, $0.place] } == [["external-file", "ZWORK 3.image"]])
        #expect(found.first?.what == "its external file \(name) has 0 bytes")
        try FileManager.default.removeItem(atPath: "\(data)/\(name)")
        try FileManager.default.createDirectory(atPath: "\(data)/\(name)", withIntermediateDirectories: true)
        #expect(try Museum.findings(path).map(\.what) == ["its external file \(name) is no ordinary file"])
        try FileManager.default.removeItem(atPath: "\(data)/\(name)")
        try bytes.write(to: URL(fileURLWithPath: "\(data)/\(name)"))
        try Museum.plant(
            "UPDATE ZWORK SET ZIMAGE = (SELECT ZIMAGE FROM ZWORK WHERE Z_PK = 3) WHERE Z_PK = 2", in: path)
        found = try Museum.findings(path)
        #expect(found.map { [$0.rule, $0.place, $0.what] } == [["external-shared", name, "2 values name the file"]])
    }

    @Test("a tombstone that names an external file is found: the file went with the object")
    func tombstoneOutside() throws {
        let sample = try SampleStore(SaveHistoryTests.film)
        for name in ["a", "b"] { try sample.insert("Film", ["title": .string(name)]) }
        for key in 1...2 { try sample.delete("Film", Int64(key)) }
        // A 2, the file's name, and a 0: 38 bytes. Values inline have a 1 in front, of whatever length.
        let name = "0A6F6C1E-5B0B-4C7E-9B0A-2F5D3E8C7A11".utf8.map { String(format: "%02x", $0) }.joined()
        try sample.connection.execute(
            """
            UPDATE ACHANGE SET ZTOMBSTONE0 = x'02\(name)00' WHERE Z_PK = 3;
            UPDATE ACHANGE SET ZTOMBSTONE0 = x'01\(name)00' WHERE Z_PK = 4
            """)
        let found = try sample.violations()
        #expect(found.map { [$0.rule, $0.place] } == [["history-tombstone", "ACHANGE 3"]], "\(found)")
        #expect(found.first?.what.contains("external file of poster") == true)
    }
}
