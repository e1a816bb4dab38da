import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What lies at a store's path and is none: every command tells the kinds apart, exits with 4, and leaves every byte.
@Suite struct NotAStoreTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case missing, empty, text, truncated, zeroedFirstPage, zeroedMetadata, otherTables, folder, pipe
        case dangling, circular, staleLog

        var testDescription: String { rawValue }

        /// The codes that say so.
        var code: String {
            switch self {
            case .missing, .dangling, .circular: "NotFound"
            case .empty: "Empty"
            case .text, .folder, .pipe, .zeroedFirstPage: "NotADatabase"
            case .truncated, .zeroedMetadata: "Damaged"
            case .otherTables: "NotAStore"
            case .staleLog: "StaleLog"
            }
        }

        /// Makes it.
        func make(_ path: String, _ folder: TemporaryFolder) throws {
            let url = URL(fileURLWithPath: path)
            func store() throws -> Data {
                let made = folder.file("made")
                try StoreCreator.create(made, model: SampleModels.library)
                defer { StoreBackup.remove(made) }
                return try Data(contentsOf: URL(fileURLWithPath: made))
            }
            switch self {
            case .missing: break
            case .empty: try Data().write(to: url)
            case .text: try Data("Once upon a time\n".utf8).write(to: url)
            case .truncated: try store().prefix(30_000).write(to: url)
            case .zeroedFirstPage:
                var bytes = try store()
                bytes.resetBytes(in: 0..<4096)
                try bytes.write(to: url)
            case .zeroedMetadata:
                var bytes = try store()
                let page =
                    try Connection(
                        path: {
                            try bytes.write(to: url); return path
                        }(), mode: .immutable
                    )
                    .scalar("SELECT rootpage FROM sqlite_master WHERE name = 'Z_METADATA'")?.integerValue ?? 1
                bytes.resetBytes(in: (Int(page) - 1) * 4096..<Int(page) * 4096)
                try bytes.write(to: url)
            case .otherTables:
                let connection = try Connection(path: path, mode: .readWriteCreate)
                try connection.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .pipe: #expect(mkfifo(path, 0o600) == 0)
            case .dangling:
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("nowhere"))
            case .circular:
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
            case .staleLog:
                let other = folder.file("other")
                try StoreCreator.create(other, model: SampleModels.library)
                func grow(_ connection: Connection) throws {
                    try connection.execute("INSERT INTO ZTAG (Z_ENT, ZNAME) VALUES (7, hex(randomblob(9000)))")
                }
                for _ in 0..<3 { try grow(Connection(path: other, mode: .readWrite)) }
                let connection = try Connection(path: other, mode: .readWrite)
                try grow(connection)
                let log = try Data(contentsOf: URL(fileURLWithPath: other + "-wal"))
                StoreBackup.remove(other)
                try store().write(to: url)
                try log.write(to: URL(fileURLWithPath: path + "-wal"))
            }
        }
    }

    /// Names and bytes; a pipe has none.
    private func image(_ folder: String) throws -> [String: Data] {
        var image: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            var info = stat()
            let isFile = lstat(folder + "/" + name, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
            image[name] = isFile ? FileManager.default.contents(atPath: folder + "/" + name) : Data()
        }
        return image
    }

    @Test(arguments: Kind.allCases)
    func isToldApartByEveryCommand(kind: Kind) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try kind.make(path, folder)
        let before = try image(folder.path)
        for command in ["inspect", "dump", "verify", "hashes"] {
            let result = try Programs.ctl(command, path)
            #expect(result.exitCode == 4, "\(command): \(result.errors)")
            #expect(result.errors.contains(" \(kind.code): "), "\(command): \(result.errors)")
        }
        let backup = try Programs.ctl("backup", path, folder.file("copy"))
        #expect(backup.exitCode == 4, "\(backup.errors)")
        // Of the others there may be something left to salvage.
        if [.missing, .empty, .text, .folder, .pipe, .dangling, .circular].contains(kind) {
            let salvage = try Programs.ctl("salvage", path, folder.file("out"))
            #expect(salvage.exitCode == 4 && salvage.errors.contains(" \(kind.code): "), "\(salvage.errors)")
        }
        let daemon = try Programs.run(
            Programs.coexistd, ["--store", path, "--socket", folder.file("socket")])
        #expect(daemon.exitCode == 4, "\(daemon.errors)")
        #expect(daemon.errors.contains(kind.code), "\(daemon.errors)")
        let after = try image(folder.path)
        #expect(after.keys.sorted() == before.keys.sorted())
        #expect(after == before)
    }

    @Test func aStoreOfAnotherModelIsToldWithBothSidesEntities() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        try StoreCreator.create(path, model: SampleModels.library)
        let model = folder.file("Other.xcdatamodel")
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: false)
        try Data(
            """
            <?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Boat"><attribute name="length" attributeType="Double"/></entity>
            <entity name="Tag"><attribute name="colour" attributeType="String"/></entity></model>
            """.utf8
        ).write(to: URL(fileURLWithPath: model + "/contents"))
        let before = try image(folder.path)
        for arguments in [["dump", path, "--model", model]] {
            let result = try Programs.run(Programs.coexistctl, arguments)
            #expect(result.exitCode == 4)
            #expect(result.errors.contains(" SchemaMismatch: "))
            #expect(result.errors.contains("only in the store: Author, Book, Card, Member, Person, Shelf"))
            #expect(result.errors.contains("only in the model: Boat"))
            #expect(result.errors.contains("different: Tag"))
        }
        let daemon = try Programs.run(
            Programs.coexistd, ["--store", path, "--model", model, "--socket", folder.file("socket")])
        #expect(daemon.exitCode == 4, "\(daemon.errors)")
        #expect(daemon.errors.contains("SchemaMismatch"))
        #expect(try image(folder.path) == before)
    }

    /// A model's source whose one entity has these attributes, and whose version has the label 1.0.
    private func model(_ name: String, _ attributes: String, _ folder: TemporaryFolder) throws -> String {
        let path = folder.file(name + ".xcdatamodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data(
            """
            <?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0"
            userDefinedModelVersionIdentifier="1.0"><entity name="Boat">\(attributes)</entity></model>
            """.utf8
        ).write(to: URL(fileURLWithPath: path + "/contents"))
        return path
    }

    @Test func oneVersionLabelOnTwoShapesIsToldWithBothChecksums() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("store.sqlite")
        let length = "<attribute name=\"length\" attributeType=\"Double\"/>"
        let old = try model("Old", length, folder)
        let new = try model("New", length + "<attribute name=\"draught\" attributeType=\"Double\"/>", folder)
        #expect(try Programs.ctl("create", path, "--model", old).exitCode == 0)
        let checksums = try [old, new].map { try ModelReader.read(at: $0).model.versionChecksum() }
        #expect(checksums[0] != checksums[1])
        let before = try image(folder.path)
        for arguments in [
            [Programs.coexistctl, "dump", path, "--stack", "model", "--model", new],
            [Programs.coexistctl, "dump", path, "--stack", "legacy", "--model", new],
            [Programs.coexistd, "--store", path, "--model", new, "--socket", folder.file("socket")],
        ] {
            let result = try Programs.run(arguments[0], Array(arguments.dropFirst()))
            #expect(result.exitCode == 4, "\(arguments)")
            #expect(result.errors.contains("SchemaMismatch"))
            #expect(result.errors.contains("both call themselves version 1.0"), "\(result.errors)")
            for checksum in checksums { #expect(result.errors.contains(checksum), "\(result.errors)") }
        }
        #expect(try image(folder.path) == before)
    }

    // MARK: As a user with few rights

    enum Refusal: String, CaseIterable, CustomTestStringConvertible {
        case unreadable = "AccessDenied"
        case truncated = "Damaged"
        case otherModel = "SchemaMismatch"

        var testDescription: String { rawValue }
    }

    /// While another program has the store open, with commits in its log: neither the file nor its sidecars change.
    @Test(
        .enabled(if: Programs.canBeNobody, "another user cannot run the programs that were built here"),
        arguments: Refusal.allCases)
    func aRefusedStoreStaysWithItsSidecars(refusal: Refusal) throws {
        let sample = try SampleStore()
        chmod(sample.folder.path, 0o777)
        let path = sample.path
        let other = try model("Other", "<attribute name=\"length\" attributeType=\"Double\"/>", sample.folder)
        let holder = try Connection(path: path, mode: .readWrite)
        try holder.execute("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        try holder.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
        if refusal == .truncated {
            _ = try holder.checkpoint(.truncate)
            #expect(truncate(path, 30_000) == 0)
        }
        for suffix in ["", "-wal", "-shm"] {
            #expect(chmod(path + suffix, refusal == .unreadable ? 0o600 : 0o666) == 0, "\(suffix)")
        }
        // Whoever reads leaves its marks in the log's index, for the time of reading.
        func image() throws -> [String: Data] {
            // Copied by another process: to close a file in this one would end the locks that it has on it.
            let copy = try TemporaryFolder()
            let cp = try #require(Programs.find("cp"))
            #expect(try Programs.run(cp, ["-a", sample.folder.path + "/.", copy.path]).exitCode == 0)
            var image = try self.image(copy.path)
            image["Library.sqlite-shm"]?.resetBytes(in: 100..<120)
            return image
        }
        let before = try image()
        #expect(before.keys.contains("Library.sqlite-wal") && before.keys.contains("Library.sqlite-shm"))
        var arguments = ["--store", path, "--socket", sample.folder.file("socket")]
        if refusal == .otherModel { arguments += ["--model", other] }
        let daemon = try Programs.runAsNobody(Programs.coexistd, arguments)
        #expect([4, 5].contains(daemon.exitCode), "\(daemon.exitCode)")
        #expect(daemon.errors.contains(refusal.rawValue), "\(daemon.errors)")
        let after = try image()
        #expect(after.keys.sorted() == before.keys.sorted())
        for (name, bytes) in before {
            let places = zip(bytes, after[name] ?? Data()).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
            #expect(after[name] == bytes, "\(name) at \(places.prefix(20))")
        }
        if refusal == .unreadable {
            let result = try Programs.runAsNobody(Programs.coexistctl, ["inspect", path])
            #expect(result.exitCode == 5)
            #expect(result.errors.contains(" AccessDenied: "), "\(result.errors)")
        }
        withExtendedLifetime(holder) {}
    }
}
