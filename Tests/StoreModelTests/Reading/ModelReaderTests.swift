import Foundation
import KeyedArchive
import Testing

@testable import StoreModel

@Suite struct ModelReaderTests {
    /// A folder of its own, gone afterwards.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coexist-model-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func write(_ text: String, _ file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private func contents(_ entity: String) -> String {
        "<?xml version=\"1.0\"?><model><entity name=\"\(entity)\"/></model>"
    }

    @Test func theCurrentVersionIsReadAndTheOthersAreListed() throws {
        try withFolder { folder in
            let model = folder.appendingPathComponent("M.xcdatamodeld")
            try write(contents("One"), model.appendingPathComponent("M.xcdatamodel/contents"))
            try write(contents("Two"), model.appendingPathComponent("M 2.xcdatamodel/contents"))
            let error = #expect(throws: ModelError.self) { try ModelReader.read(at: model.path) }
            #expect(
                error == .noCurrentVersion(path: model.path, versions: ["M.xcdatamodel", "M 2.xcdatamodel"]))
            #expect("\(error.map { "\($0)" } ?? "")".contains(model.path + "/M 2.xcdatamodel"))
            try write(
                """
                <?xml version="1.0"?><plist version="1.0"><dict><key>_XCCurrentVersionName</key>
                <string>M 2.xcdatamodel</string></dict></plist>
                """, model.appendingPathComponent(".xccurrentversion"))
            let loaded = try ModelReader.read(at: model.path)
            #expect(loaded.versionName == "M 2" && loaded.model["Two"] != nil && loaded.kind == .versionedSource)
            #expect(loaded.versions.map(\.name) == ["M", "M 2"] && loaded.versions.map(\.isCurrent) == [false, true])
            #expect(loaded.sourceDescription == "version \"M 2\" of M.xcdatamodeld")
            let first = try #require(loaded.versions.first).load()
            let matched = try ModelReader.read(at: model.path, matching: first.versionHashes())
            #expect(matched?.versionName == "M")
        }
    }

    @Test func whatSystemsAndToolsLeaveInAFolderOfVersionsIsNoVersion() throws {
        try withFolder { folder in
            let momd = folder.appendingPathComponent("M.momd")
            try FileManager.default.createDirectory(
                at: momd.appendingPathComponent("Old.momd"), withIntermediateDirectories: true)
            let archive = try ModelCache.archive(SampleModel.model)
            try archive.write(to: momd.appendingPathComponent("M.mom"))
            try archive.write(to: momd.appendingPathComponent("M 2.MOM"))
            for name in ["._M.mom", ".DS_Store", "M.omo", "Old.momd/X.mom"] {
                try Data("x".utf8).write(to: momd.appendingPathComponent(name))
            }
            // The name with its extension, in the XML form, in UTF-16.
            let text = """
                <?xml version="1.0" encoding="UTF-16"?><plist version="1.0"><dict>
                <key>NSManagedObjectModel_CurrentVersionName</key><string>M 2.mom</string></dict></plist>
                """
            let units = [0xFEFF] + Array(text.utf16)
            try Data(units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }).write(
                to: momd.appendingPathComponent("VersionInfo.plist"))
            #expect(try ModelReader.versions(at: momd.path).map(\.name) == ["M", "M 2"])
            #expect(try ModelReader.read(at: momd.path).versionName == "M 2")
        }
    }

    @Test func compiledModelsAreRead() throws {
        try withFolder { folder in
            let momd = folder.appendingPathComponent("M.momd")
            try FileManager.default.createDirectory(at: momd, withIntermediateDirectories: true)
            let archive = try ModelCache.archive(SampleModel.model)
            try archive.write(to: momd.appendingPathComponent("M.mom"))
            try archive.write(to: momd.appendingPathComponent("M 2.mom"))
            let info = PropertyListNode.dictionary([
                "NSManagedObjectModel_CurrentVersionName": .string("M"),
                "NSManagedObjectModel_VersionHashes": .dictionary([
                    "M": .dictionary(["Box": .data(Data(repeating: 7, count: 32))])
                ]),
            ])
            try PropertyList.binary(info).write(to: momd.appendingPathComponent("VersionInfo.plist"))
            let loaded = try ModelReader.read(at: momd.path)
            #expect(loaded.versionName == "M" && loaded.model == SampleModel.model)
            #expect(try ModelReader.read(at: momd.path + "/M 2.mom").model == SampleModel.model)
            #expect(try ModelReader.versionInfo(at: momd.path)?.hashes["M"]?["Box"] == Data(repeating: 7, count: 32))
        }
    }

    @Test func theOnlyVersionIsTheCurrentOne() throws {
        try withFolder { folder in
            let model = folder.appendingPathComponent("M.xcdatamodeld")
            try write(contents("One"), model.appendingPathComponent("M.xcdatamodel/contents"))
            let loaded = try ModelReader.read(at: model.path)
            #expect(loaded.versionName == "M" && loaded.versions.map(\.isCurrent) == [true])
        }
    }

    @Test func aCurrentVersionThatIsNotThereIsNamed() throws {
        try withFolder { folder in
            let model = folder.appendingPathComponent("M.xcdatamodeld")
            try write(contents("One"), model.appendingPathComponent("M.xcdatamodel/contents"))
            try write(
                """
                <?xml version="1.0"?><plist version="1.0"><dict><key>_XCCurrentVersionName</key>
                <string>M 9.xcdatamodel</string></dict></plist>
                """, model.appendingPathComponent(".xccurrentversion"))
            #expect(
                throws: ModelError.currentVersionMissing(path: model.path, name: "M 9", versions: ["M.xcdatamodel"])
            ) { try ModelReader.read(at: model.path) }
            #expect(try ModelReader.versions(at: model.path).map(\.isCurrent) == [false])
        }
    }

    private static let versionInfo = """
        <?xml version="1.0"?><plist version="1.0"><dict>
        <key>NSManagedObjectModel_CurrentVersionName</key><string>M</string>
        <key>NSManagedObjectModel_VersionHashes</key><dict><key>M</key><dict><key>Box</key>
        <data>BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=</data></dict></dict>
        <key>NSManagedObjectModel_VersionChecksums</key><dict><key>M</key><string>c2hlY2s=</string></dict>
        <key>Later</key><true/></dict></plist>
        """

    @Test(arguments: [false, true])
    func versionInfoIsReadAsXMLAndAsBinary(isBinary: Bool) throws {
        try withFolder { folder in
            let momd = folder.appendingPathComponent("M.momd")
            let file = momd.appendingPathComponent("VersionInfo.plist")
            try write(Self.versionInfo, file)
            if isBinary { try PropertyList.binary(PropertyList.parse(Data(contentsOf: file))).write(to: file) }
            let info = try #require(try ModelReader.versionInfo(at: momd.path))
            #expect(
                info.currentVersionName == "M" && info.checksums == ["M": "c2hlY2s="] && info.otherKeys == ["Later"])
            #expect(info.hashes == ["M": ["Box": Data(repeating: 7, count: 32)]])
        }
    }

    @Test(arguments: [
        ("<string>M</string>", "<true/>", "NSManagedObjectModel_CurrentVersionName is no text"),
        ("BwcH", "", "the hash of Box in version M is no data of 32 bytes"),
        ("<string>c2hlY2s=</string>", "<true/>", "the checksum of version M is no text"),
    ])
    func versionInfoOfAnotherFormIsRefused(_ part: String, _ replacement: String, _ reason: String) throws {
        try withFolder { folder in
            let momd = folder.appendingPathComponent("M.momd")
            let file = momd.appendingPathComponent("VersionInfo.plist")
            let text = part == "BwcH" ? "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=" : part
            try write(Self.versionInfo.replacingOccurrences(of: text, with: replacement), file)
            #expect(throws: ModelError.malformed(source: file.path, reason: reason)) {
                try ModelReader.versionInfo(at: momd.path)
            }
        }
    }

    @Test func errorsSayWhatIsThereAndTheWayOut() throws {
        try withFolder { folder in
            let old = folder.appendingPathComponent("Old.xcdatamodel")
            try write("bplist00", old.appendingPathComponent("elements"))
            #expect(throws: ModelError.binaryModelSource(path: old.path)) { try ModelReader.read(at: old.path) }
            let other = folder.appendingPathComponent("x.txt")
            try write("x", other)
            #expect(throws: ModelError.unknownKind(path: other.path)) { try ModelReader.read(at: other.path) }
            let missing = folder.appendingPathComponent("none.mom").path
            #expect(throws: ModelError.unreadable(path: missing, reason: "no such file or folder")) {
                try ModelReader.read(at: missing)
            }
            let empty = folder.appendingPathComponent("E.momd")
            try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
            #expect(throws: ModelError.noCurrentVersion(path: empty.path, versions: [])) {
                try ModelReader.read(at: empty.path)
            }
        }
    }
}
