import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

@Suite
struct StoreProbeTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("store.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Opens what lies at the path, expects that failure, and that nothing in the folder changed.
    private func expect(_ code: StoreError.Code, _ location: SourceLocation = #_sourceLocation) throws {
        let before = try FolderContents(folder.path)
        let error = expectStoreError(code, location) { _ = try Store.open(path) }
        #expect(error?.message.contains(path) == true, sourceLocation: location)
        #expect(error?.way.isEmpty == false, sourceLocation: location)
        #expect(try FolderContents(folder.path).files == before.files, sourceLocation: location)
    }

    private func write(_ bytes: some Sequence<UInt8>) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }

    /// A store with rows, all in its main file.
    private func store(_ change: (Connection) throws -> Void = { _ in }) throws -> [UInt8] {
        try StoreCreator.create(path, model: SampleModels.library)
        let connection = try Connection(path: path, mode: .readWrite)
        try change(connection)
        _ = try connection.checkpoint(.truncate)
        return [UInt8](try #require(FileManager.default.contents(atPath: path)))
    }

    @Test("a path without a file") func missing() throws { try expect(.notFound) }

    @Test("a folder")
    func aFolder() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try expect(.notADatabase)
    }

    @Test("a pipe, which is not waited for")
    func pipe() throws {
        #expect(mkfifo(path, 0o600) == 0)
        let error = expectStoreError(.notADatabase) { _ = try Store.open(path) }
        #expect(error?.message.contains(path) == true)
    }

    @Test("a link that leads nowhere, or to itself", arguments: ["nowhere", "store.sqlite"])
    func link(destination: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file(destination))
        let error = expectStoreError(.notFound) { _ = try Store.open(path) }
        #expect(error?.message.contains("link") == true)
        expectStoreError(.alreadyExists) { try StoreCreator.create(path, model: SampleModels.library) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    }

    @Test("a file without bytes")
    func zeroLength() throws {
        try write([])
        try expect(.empty)
    }

    @Test(
        "text, an XML store, a property list",
        arguments: [
            "Once upon a time\n",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE database SYSTEM \"file:///CoreData.dtd\">\n<database>",
            "bplist00\u{1}\u{2}", "S",
        ])
    func text(_ text: String) throws {
        try write(Array(text.utf8) + Array(repeating: UInt8(ascii: " "), count: 200))
        try expect(.notADatabase)
    }

    @Test("random bytes look encrypted", arguments: 0..<5 as Range<UInt64>)
    func random(_ seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        try write((0..<8192).map { _ in UInt8.random(in: 0...255, using: &random) })
        try expect(.encrypted)
    }

    @Test("a file that ends inside its header, or has an impossible one")
    func header() throws {
        var bytes = try store()
        try write(bytes.prefix(60))
        try expect(.damaged)
        bytes[16] = 0x13
        try write(bytes)
        try expect(.damaged)
    }

    @Test("a file with fewer pages than its header says")
    func truncated() throws {
        let bytes = try store()
        try write(bytes.prefix(bytes.count / 2))
        try expect(.damaged)
    }

    @Test("what may be a damaged store leads to a salvage")
    func wayToSalvage() throws {
        func way() -> String? {
            (#expect(throws: StoreError.self) { _ = try Store.open(path) })?.way
        }
        let bytes = try store()
        var damages = [Array(bytes.prefix(bytes.count / 2)), bytes, bytes, bytes, bytes, bytes]
        damages[1].replaceSubrange(0..<4096, with: repeatElement(0, count: 4096))
        damages[2].replaceSubrange(0..<16, with: Array("XQLite format 3\0".utf8))
        damages[3][16] = 0x13
        // The list of tables.
        damages[4].replaceSubrange(100..<4096, with: repeatElement(0xA5, count: 3996))
        // A number of the header that SQLite alone looks at.
        damages[5][21] = 0
        for damage in damages {
            try write(damage)
            let found = way()
            #expect(found?.contains("`coexistctl salvage \(path) NEW`") == true, "\(found ?? "no error")")
        }
        try FileManager.default.removeItem(atPath: path)
        _ = try store { try $0.execute("UPDATE Z_METADATA SET Z_PLIST = NULL") }
        #expect(way()?.contains("`coexistctl salvage \(path) NEW`") == true)
    }

    @Test("a database with another application's tables")
    func otherTables() throws {
        let connection = try Connection(path: path, mode: .readWriteCreate)
        try connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
        try expect(.notAStore)
    }

    @Test(
        "metadata that is missing, NULL, no property list, or of a form from before hashes",
        arguments: [
            ("DELETE FROM Z_METADATA", StoreError.Code.notAStore),
            ("UPDATE Z_METADATA SET Z_PLIST = NULL", .metadataUnreadable),
            ("UPDATE Z_METADATA SET Z_UUID = NULL", .metadataUnreadable),
            ("UPDATE Z_METADATA SET Z_PLIST = x'62706C6973743030FF'", .metadataUnreadable),
            (
                """
                UPDATE Z_METADATA SET Z_PLIST = CAST('<?xml version="1.0"?><plist version="1.0"><dict>\
                <key>NSStoreModelVersionHashesVersion</key><integer>1</integer></dict></plist>' AS BLOB)
                """, .tooOld
            ),
        ])
    func metadata(_ sql: String, _ code: StoreError.Code) throws {
        _ = try store { try $0.execute(sql) }
        try expect(code)
    }

    @Test(
        "a model cache that is missing, empty or no archive",
        arguments: [
            ("DROP TABLE Z_MODELCACHE", StoreError.Code.modelMissing), ("DELETE FROM Z_MODELCACHE", .modelMissing),
            ("UPDATE Z_MODELCACHE SET Z_CONTENT = x'00112233'", .modelUnreadable),
        ])
    func modelCache(_ sql: String, _ code: StoreError.Code) throws {
        _ = try store { try $0.execute(sql) }
        try expect(code)
        // With a model from elsewhere it opens.
        #expect(try Store.open(path, model: SampleModels.library).layout["Book"] != nil)
    }

    @Test("a model of another version is refused with what differs")
    func otherModel() throws {
        _ = try store()
        var model = SampleModels.library
        for i in model.entities.indices where model.entities[i].name == "Shelf" {
            model.entities[i].attributes.append(.init(name: "room", type: .string))
        }
        let error = expectStoreError(.schemaMismatch) { _ = try Store.open(path, model: model) }
        #expect(error?.message.contains("Shelf") == true)
    }

    @Test("a file that may not be read", .enabled(if: geteuid() != 0, "root may read everything"))
    func noPermission() throws {
        _ = try store()
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path) }
        expectStoreError(.accessDenied) { _ = try Store.open(path) }
    }

    @Test("creating never replaces what is there, and leaves nothing behind when it fails")
    func creation() throws {
        try write([1])
        expectStoreError(.alreadyExists) { try StoreCreator.create(path, model: SampleModels.library) }
        #expect(FileManager.default.contents(atPath: path) == Data([1]))
        expectStoreError(.notFound) { try StoreCreator.create(folder.file("no/b"), model: SampleModels.library) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    }
}
