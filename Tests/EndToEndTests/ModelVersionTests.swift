import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// A folder of model versions beside a store: which version a command takes, and that it says so.
@Suite struct ModelVersionTests {
    private let folder: TemporaryFolder
    private let store: String
    private let versions: String

    /// A store of version v1, of whose model v2 is the current version.
    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("Tags.sqlite")
        versions = folder.file("Tags.xcdatamodeld")
        for (name, attributes) in [("v1", ["name"]), ("v2", ["name", "colour"])] {
            let version = "\(versions)/\(name).xcdatamodel"
            try FileManager.default.createDirectory(atPath: version, withIntermediateDirectories: true)
            let lines = attributes.map { #"<attribute name="\#($0)" optional="YES" attributeType="String"/>"# }
            try Data(
                """
                <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" minimumToolsVersion="Automatic">
                <entity name="Tag" representedClassName="Tag" syncable="YES">\(lines.joined())</entity>
                </model>
                """.utf8
            ).write(to: URL(fileURLWithPath: version + "/contents"))
        }
        try PropertyListSerialization.data(
            fromPropertyList: ["_XCCurrentVersionName": "v2.xcdatamodel"], format: .xml, options: 0
        ).write(to: URL(fileURLWithPath: versions + "/.xccurrentversion"))
        #expect(try Programs.ctl("create", store, "--model", versions + "/v1.xcdatamodel").exitCode == 0)
    }

    private let said = #"version "v1" of Tags.xcdatamodeld, not the current "v2""#

    @Test func hashesSaysWhichVersionTheStoreAgreesWith() throws {
        let text = try Programs.ctl("hashes", store, "--model", versions)
        #expect(text.exitCode == 0)
        #expect(text.output.contains(said) && text.output.contains("the store agrees"))
        let json = try JSON(parsing: try Programs.ctl("hashes", store, "--model", versions, "--json").output)
        #expect(json["model"]?.stringValue == said)
    }

    @Test func inspectSaysIt() throws {
        #expect(try Programs.ctl("inspect", store, "--model", versions).output.contains(said))
    }

    @Test func theDaemonSaysItInLogAndStatus() throws {
        let daemon = try RunningDaemon(["--store", store, "--model", versions], folder: folder)
        #expect(daemon.messages.contains(said))
        #expect(try daemon.json("status").first?["store"]?["model"]?.stringValue == said)
        #expect(try daemon.ctl("status").output.contains(said))
    }

    @Test func whereNoneIsGivenTheStoresOwnIsNamed() throws {
        let daemon = try RunningDaemon(store: store, folder: folder)
        #expect(try daemon.json("status").first?["store"]?["model"] == "the store's model cache")
    }

    @Test func theCurrentVersionIsNotCalledAnother() throws {
        let current = folder.file("Current.sqlite")
        #expect(try Programs.ctl("create", current, "--model", versions).exitCode == 0)
        let text = try Programs.ctl("hashes", current, "--model", versions).output
        #expect(text.contains(#"version "v2" of Tags.xcdatamodeld"#) && !text.contains("not the current"))
    }

    @Test func theFileInsideAVersionStandsForIt() throws {
        let made = folder.file("Made.sqlite")
        let contents = versions + "/v1.xcdatamodel/contents"
        #expect(try Programs.ctl("create", made, "--model", contents).exitCode == 0)
        let difference = try Programs.ctl("diff", made, contents)
        #expect(difference.exitCode == 0 && difference.output == "no differences\n")
    }
}
