import Foundation
import StoreModel
import TestKit
import Testing
import Varlink

/// Models on disk, shown by the real program.
@Suite struct ModelInspectionTests {
    /// A model that says everything that a model's source can say (Format, section 11).
    private static let everything = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model name="Doc" type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="22758"
            systemVersion="23E224" minimumToolsVersion="Xcode 7.3" sourceLanguage="Swift" macOSVersion="Automatic"
            iOSVersion="Auto" usedWithCloudKit="NO" usedWithSwiftData="YES" userDefinedModelVersionIdentifier="4.2">
          <entity name="Base" representedClassName="AppBase" isAbstract="YES" syncable="YES"/>
          <entity name="Note" parentEntity="Base" representedClassName="AppNote" codeGenerationType="category"
              elementID="Memo" syncable="NO" versionHashModifier="n2">
            <attribute name="body" optional="YES" transient="YES" attributeType="String" syncable="YES" elementID="text"
                defaultValueString="none" minValueString="3" maxValueString="80" regularExpressionString="[a-z]+"
                versionHashModifier="b1" indexed="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES"
                preserveAfterDeletion="YES" allowsCloudEncryption="YES">
              <userInfo><entry key="author" value="Ada"/></userInfo></attribute>
            <attribute name="color" optional="YES" attributeType="Transformable" customClassName="AppColor"
                valueTransformerName="ColorTransformer"/>
            <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="when" attributeType="Date" defaultDateTimeInterval="86400" minDateTimeInterval="0"
                maxDateTimeInterval="172800"/>
            <attribute name="n16" attributeType="Integer 16" defaultValueString="16" usesScalarValueType="YES"/>
            <attribute name="n32" attributeType="Integer 32" defaultValueString="32" usesScalarValueType="NO"/>
            <attribute name="n64" attributeType="Integer 64" defaultValueString="64"/>
            <attribute name="dec" attributeType="Decimal" defaultValueString="1.25"/>
            <attribute name="dbl" attributeType="Double" defaultValueString="2.5"/>
            <attribute name="flt" attributeType="Float" defaultValueString="0.5"/>
            <attribute name="yes" attributeType="Boolean" defaultValueString="YES"/>
            <attribute name="uri" optional="YES" attributeType="URI" defaultValueString="http://a.b"/>
            <attribute name="uuid" optional="YES" attributeType="UUID"/>
            <attribute name="any" optional="YES" transient="YES"/>
            <attribute name="where" optional="YES" attributeType="Composite" composite="Point"/>
            <attribute name="loud" optional="YES" attributeType="String" derived="YES"
                derivationExpression="uppercase:(body)" filteringPredicate="n16 &gt; 1"/>
            <relationship name="tags" optional="YES" toMany="YES" minCount="1" maxCount="9" ordered="YES" transient="YES"
                deletionRule="Cascade" destinationEntity="Tag" inverseName="notes" inverseEntity="Tag" syncable="YES"
                elementID="labels" versionHashModifier="t1" spotlightIndexingEnabled="YES" storedInTruthFile="YES">
              <userInfo><entry key="side" value="left"/></userInfo></relationship>
            <relationship name="next" optional="YES" maxCount="1" deleteRule="Deny" destinationEntity="Note"/>
            <relationship name="last" optional="YES" maxCount="1" deletionRule="No Action" destinationEntity="Note"/>
            <fetchedProperty name="similar" optional="YES" syncable="YES" elementID="alike" versionHashModifier="f1">
              <fetchRequest name="fetchedPropertyFetchRequest" entity="Note" predicateString="body = $FETCH_SOURCE.body"/>
              <userInfo><entry key="kind" value="loose"/></userInfo></fetchedProperty>
            <fetchIndex name="byDate" partialIndexPredicate="n16 &gt; 3">
              <fetchIndexElement property="when" type="Binary" order="descending"/>
              <fetchIndexElement expression="length:(body)" expressionType="Integer 32" type="RTree" order="ascending"/>
            </fetchIndex>
            <compoundIndexes><compoundIndex><index value="n16"/><index value="n32"/></compoundIndex></compoundIndexes>
            <uniquenessConstraints><uniquenessConstraint><constraint value="n64"/><constraint value="uri"/>
            </uniquenessConstraint></uniquenessConstraints>
            <userInfo><entry key="owner" value="us"/></userInfo>
          </entity>
          <entity name="Tag"><relationship name="notes" optional="YES" toMany="YES" deletionRule="Nullify"
              destinationEntity="Note" inverseName="tags" inverseEntity="Note"/></entity>
          <configuration name="Local"><memberEntity name="Note"/><memberEntity name="Tag"/></configuration>
          <fetchRequest name="Recent" entity="Note" predicateString="n16 &gt; 7" fetchLimit="220" fetchBatchSize="20"
              resultType="2" includeSubentities="NO" includePropertyValues="NO" includesPendingChanges="NO"
              returnObjectsAsFaults="NO" returnDistinctResults="YES"/>
          <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
          <composite name="Unused"><attribute name="z" attributeType="Float"/></composite>
          <elements><element name="Note" positionX="-63" positionY="9" width="128" height="90"/></elements>
        </model>
        """

    /// Where each value of the model is shown. A part of a path names a member, or an element by its name or place.
    private static let shown: [(String, JSON)] = [
        ("model/document/name", "Doc"), ("model/document/type", "com.apple.IDECoreDataModeler.DataModel"),
        ("model/document/documentVersion", "1.0"), ("model/document/lastSavedToolsVersion", "22758"),
        ("model/document/systemVersion", "23E224"), ("model/document/minimumToolsVersion", "Xcode 7.3"),
        ("model/document/sourceLanguage", "Swift"), ("model/document/macOSVersion", "Automatic"),
        ("model/document/iOSVersion", "Auto"), ("model/document/usedWithCloudKit", "NO"),
        ("model/document/usedWithSwiftData", "YES"), ("model/versionIdentifiers", ["4.2"]),
        ("entities/Base/class", "AppBase"), ("entities/Base/abstract", true), ("entities/Base/syncable", true),
        ("entities/Note/parent", "Base"), ("entities/Note/class", "AppNote"),
        ("entities/Note/codeGeneration", "category"),
        ("entities/Note/renamingIdentifier", "Memo"), ("entities/Note/syncable", false),
        ("entities/Note/hashModifier", "n2"), ("entities/Note/userInfo/owner", "us"),
        ("body/type", "string"), ("body/optional", true), ("body/transient", true), ("body/syncable", true),
        ("body/renamingIdentifier", "text"), ("body/default", "none"), ("body/minimum", 3), ("body/maximum", 80),
        ("body/regularExpression", "[a-z]+"), ("body/hashModifier", "b1"), ("body/indexed", true),
        ("body/spotlight", true), ("body/storedInTruthFile", true), ("body/preservedOnDeletion", true),
        ("body/cloudEncryption", true), ("body/userInfo/author", "Ada"),
        ("body/validations", ["length >= 3", "length <= 80", "SELF MATCHES \"[a-z]+\""]),
        ("color/type", "transformable"), ("color/class", "AppColor"), ("color/transformer", "ColorTransformer"),
        ("photo/type", "binaryData"), ("photo/externalStorage", true), ("when/type", "date"),
        ("when/default", "2001-01-02T00:00:00Z"), ("when/minimum", "2001-01-01T00:00:00Z"),
        ("when/maximum", "2001-01-03T00:00:00Z"), ("when/optional", false), ("n16/type", "integer16"),
        ("n16/default", 16), ("n16/scalar", true), ("n32/type", "integer32"), ("n32/default", 32),
        ("n32/scalar", false),
        ("n64/type", "integer64"), ("n64/default", 64), ("dec/type", "decimal"), ("dec/default", "1.25"),
        ("dbl/type", "double"), ("dbl/default", 2.5), ("flt/type", "float"), ("flt/default", 0.5),
        ("yes/type", "boolean"), ("yes/default", true), ("uri/type", "uri"), ("uri/default", "http://a.b"),
        ("uuid/type", "uuid"), ("any/type", "undefined"), ("where/type", "composite"), ("where/composite", "Point"),
        ("where/elements/x/type", "double"), ("loud/derivation", "uppercase:(body)"),
        ("loud/derivationFilter", "n16 > 1"), ("loud/readOnly", true),
        ("tags/destination", "Tag"), ("tags/inverse", "notes"), ("tags/toMany", true), ("tags/optional", true),
        ("tags/minCount", 1), ("tags/maxCount", 9), ("tags/ordered", true), ("tags/transient", true),
        ("tags/deleteRule", "cascade"), ("tags/syncable", true), ("tags/renamingIdentifier", "labels"),
        ("tags/hashModifier", "t1"), ("tags/spotlight", true), ("tags/storedInTruthFile", true),
        ("tags/userInfo/side", "left"), ("next/deleteRule", "deny"), ("next/maxCount", 1), ("next/inverse", .null),
        ("last/deleteRule", "noAction"), ("entities/Tag/relationships/notes/deleteRule", "nullify"),
        ("similar/optional", true), ("similar/syncable", true), ("similar/renamingIdentifier", "alike"),
        ("similar/hashModifier", "f1"), ("similar/userInfo/kind", "loose"), ("similar/request/entity", "Note"),
        ("similar/request/name", "fetchedPropertyFetchRequest"),
        ("similar/request/predicate", "body = $FETCH_SOURCE.body"),
        ("entities/Note/indexes/byDate/where", "n16 > 3"), ("entities/Note/indexes/byDate/elements/0/property", "when"),
        ("entities/Note/indexes/byDate/elements/0/ascending", false),
        ("entities/Note/indexes/byDate/elements/0/type", "binary"),
        ("entities/Note/indexes/byDate/elements/1/expression", "length:(body)"),
        ("entities/Note/indexes/byDate/elements/1/expressionType", "integer32"),
        ("entities/Note/indexes/byDate/elements/1/type", "rTree"),
        ("entities/Note/indexes/byDate/elements/1/ascending", true),
        ("entities/Note/compoundIndexes", [["n16", "n32"]]), ("entities/Note/uniquenessConstraints", [["n64", "uri"]]),
        ("model/configurations/Local", ["Note", "Tag"]), ("Recent/entity", "Note"), ("Recent/predicate", "n16 > 7"),
        ("Recent/limit", 220), ("Recent/batchSize", 20), ("Recent/resultType", 2),
        ("Recent/includesSubentities", false),
        ("Recent/includesPropertyValues", false), ("Recent/includesPendingChanges", false),
        ("Recent/returnsObjectsAsFaults", false), ("Recent/returnsDistinctResults", true),
        ("model/composites/Point/elements/x/type", "double"), ("model/composites/Unused/elements/z/type", "float"),
        ("model/other", []),
    ]

    private static let relationships: Set<Substring> = ["tags", "next", "last"]

    /// The whole path: properties of Note are named alone.
    private static func path(_ short: String) -> [Substring] {
        let parts = short.split(separator: "/")
        if parts[0] == "model" || parts[0] == "entities" { return parts }
        if parts[0] == "Recent" { return ["model", "fetchRequestTemplates"] + parts }
        let list: Substring =
            parts[0] == "similar"
            ? "fetchedProperties" : relationships.contains(parts[0]) ? "relationships" : "attributes"
        return ["entities", "Note", list] + parts
    }

    private static func value(_ json: JSON, _ path: [Substring]) -> JSON? {
        var current: JSON? = json
        for part in path {
            if let list = current?.arrayValue {
                current = list.first { $0["name"]?.stringValue == String(part) } ?? Int(part).flatMap { current?[$0] }
            } else {
                current = current?[String(part)]
            }
        }
        return current
    }

    private func write(_ text: String, _ path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func json(_ arguments: String..., exitCode: Int32 = 0) throws -> JSON {
        let result = try Programs.run(Programs.coexistctl, arguments + ["--json"])
        #expect(result.exitCode == exitCode, "\(result.errors)")
        return try JSON(parsing: result.output)
    }

    @Test func everythingThatASourceSaysIsShown() throws {
        let folder = try TemporaryFolder()
        let model = folder.file("Doc.xcdatamodel")
        try write(Self.everything, model + "/contents")
        let shown = try json("inspect", model)
        for (short, expected) in Self.shown {
            #expect(Self.value(shown, Self.path(short)) == expected, "\(short)")
        }
        // A person is shown the same.
        let text = try Programs.ctl("inspect", model).output
        for (short, expected) in Self.shown {
            guard let expected = expected.stringValue else { continue }
            #expect(text.contains(expected), "\(short)")
        }
        let warnings = shown["warnings"]?.arrayValue?.compactMap { $0["code"]?.stringValue } ?? []
        #expect(warnings.contains("noInverse") && warnings.contains("noActionRule"))
    }

    @Test func whatHasNoMeaningIsShownAsSuch() throws {
        let folder = try TemporaryFolder()
        let model = folder.file("Odd.xcdatamodel")
        try write("<model><entity name=\"A\" shade=\"dark\"/></model>", model + "/contents")
        #expect(
            try json("inspect", model)["model"]?["other"]
                == [["place": "entity A", "name": "shade", "value": "dark", "line": 1]])
        #expect(try Programs.ctl("inspect", model).output.contains("shade = dark (entity A, line 1)"))
    }

    private func contents(_ entity: String) -> String { "<model><entity name=\"\(entity)\"/></model>" }

    private func currentVersion(_ name: String) -> String {
        """
        <?xml version="1.0"?><plist version="1.0"><dict><key>_XCCurrentVersionName</key>
        <string>\(name).xcdatamodel</string></dict></plist>
        """
    }

    @Test func allVersionsAreShownWithTheCurrentOne() throws {
        let folder = try TemporaryFolder()
        let model = folder.file("M.xcdatamodeld")
        try write(contents("One"), model + "/M.xcdatamodel/contents")
        try write(contents("Two"), model + "/M 2.xcdatamodel/contents")
        try write("<model>", model + "/M 3.xcdatamodel/contents")
        let undecided = try json("inspect", model)
        #expect(undecided["version"] == .null && undecided["entities"] == [])
        #expect(undecided["versions"]?.arrayValue?.map { $0["current"] } == [false, false, false])
        #expect(try json("hashes", model)["versions"]?.arrayValue?.count == 3)
        let refused = try Programs.ctl("create", folder.file("s.sqlite"), "--model", model)
        #expect(refused.exitCode == 4 && refused.errors.contains("M 3.xcdatamodel"), "\(refused.errors)")

        try write(currentVersion("M 2"), model + "/.xccurrentversion")
        let shown = try json("inspect", model)
        #expect(shown["version"] == "M 2" && Self.value(shown, ["entities", "Two", "name"]) == "Two")
        let versions = try #require(shown["versions"]?.arrayValue)
        #expect(versions.map { $0["name"] } == ["M", "M 2", "M 3"])
        #expect(versions.map { $0["current"] } == [false, true, false])
        #expect(Self.value(versions[0], ["entities", "One", "name"]) == "One")
        #expect(versions[2]["error"]?.stringValue?.contains("M 3.xcdatamodel/contents") == true)

        let hashes = try json("hashes", model)
        #expect(hashes["version"] == "M 2" && hashes["entities"]?["Two"]?["stored"] == .null)
        #expect(hashes["checksum"] == shown["model"]?["checksum"])
        let single = try json("hashes", model + "/M.xcdatamodel")
        #expect(hashes["versions"]?[0]?["entities"] == single["entities"])
        #expect(try Programs.ctl("hashes", model).output.contains("version M 2 (current)"))

        try write(currentVersion("M 9"), model + "/.xccurrentversion")
        let missing = try Programs.ctl("create", folder.file("s.sqlite"), "--model", model)
        #expect(missing.exitCode == 4 && missing.errors.contains("M 9"), "\(missing.errors)")
        let without = try json("inspect", model)
        #expect(without["version"] == .null && without["missingVersion"] == "M 9")
    }

    private func versionInfo(_ hashes: [String: [String: Data]], _ checksums: [String: String]) throws -> Data {
        try PropertyListSerialization.data(
            fromPropertyList: [
                "NSManagedObjectModel_CurrentVersionName": "M", "NSManagedObjectModel_VersionHashes": hashes,
                "NSManagedObjectModel_VersionChecksums": checksums,
            ], format: .binary, options: 0)
    }

    @Test func aCompiledModelsListIsComparedWithItsVersions() throws {
        let folder = try TemporaryFolder()
        let momd = folder.file("M.momd")
        try FileManager.default.createDirectory(atPath: momd, withIntermediateDirectories: true)
        let model = SampleModels.library
        try ModelCache.archive(model).write(to: URL(fileURLWithPath: momd + "/M.mom"))
        // Without a list there is nothing to disagree with.
        let alone = try json("hashes", momd)
        #expect(alone["version"] == "M" && alone["agrees"] == true)
        #expect(try json("hashes", momd + "/M.mom")["entities"] == alone["entities"])
        #expect(try json("inspect", momd + "/M.mom")["entities"] == json("inspect", momd)["entities"])

        let info = URL(fileURLWithPath: momd + "/VersionInfo.plist")
        let hashes = try model.versionHashes()
        try versionInfo(["M": hashes], ["M": try model.versionChecksum()]).write(to: info)
        let agreeing = try json("hashes", momd)
        #expect(agreeing["agrees"] == true && agreeing["storedChecksum"] == agreeing["checksum"])
        #expect(agreeing["entities"]?["Book"]?["stored"] == agreeing["entities"]?["Book"]?["computed"])

        try versionInfo(["M": hashes], ["M": "AAAA"]).write(to: info)
        #expect(try json("hashes", momd, exitCode: 1)["storedChecksum"] == "AAAA")
        try versionInfo(["M": hashes.merging(["Book": Data(count: 32)]) { $1 }], [:]).write(to: info)
        #expect(try json("hashes", momd, exitCode: 1)["agrees"] == false)
        #expect(try Programs.ctl("hashes", momd).output.contains("VersionInfo.plist does not agree"))
        try versionInfo(["M": hashes, "M 2": hashes], [:]).write(to: info)
        let missing = try json("hashes", momd, exitCode: 1)["versions"]?[1]
        #expect(missing?["name"] == "M 2" && missing?["error"]?.stringValue?.contains("M 2.mom") == true)
    }

    @Test func aStoreAsTheModelOfAnotherGivesItsOwn() throws {
        let folder = try TemporaryFolder()
        let model = folder.file("M.xcdatamodel")
        try write(contents("One"), model + "/contents")
        let (a, b) = (folder.file("a.sqlite"), folder.file("b.sqlite"))
        #expect(try Programs.ctl("create", a, "--model", model).exitCode == 0)
        #expect(try Programs.ctl("create", b, "--model", a).exitCode == 0)
        #expect(try json("inspect", b, "--model", a)["model"]?["agrees"] == true)
        #expect(try json("hashes", b, "--model", a)["agrees"] == true)
        #expect(try json("hashes", a)["checksum"] == json("hashes", model)["checksum"])
        #expect(try Programs.ctl("inspect", model, "--model", a).exitCode == 2)
        #expect(try Programs.ctl("hashes", model, "--model", a).exitCode == 2)
    }
}
