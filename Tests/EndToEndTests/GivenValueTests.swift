import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// Values as a person gives them on the command line, and what a refusal says.
@Suite struct GivenValueTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Values.sqlite")
        try StoreCreator.create(path, model: ValueCases.model)
    }

    private func holds(_ condition: String) throws -> Bool {
        try Programs.sqlite3(path, "SELECT \(condition) FROM ZSAMPLE WHERE Z_PK = 1").output == "1\n"
    }

    @Test(arguments: ["legacy", "model"])
    func oneElementOfACompositeIsSetByItsPath(stack: String) throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        func ctl(_ arguments: String...) throws -> Programs.Result {
            try Programs.run(
                Programs.coexistctl, arguments, environment: ["COEXIST_SOCKET": daemon.socket])
        }
        if stack == "model" { #expect(try ctl("handover", "Sample", "--to", "model").exitCode == 0) }
        #expect(try ctl("insert", "Sample", "place.street=Rua", "place.height=1.5", "medium=1").exitCode == 0)
        #expect(try holds("ZSTREET = 'Rua' AND ZHEIGHT = 1.5 AND ZMEDIUM = 1"))
        #expect(try ctl("update", "Sample/1", "place.height:=2").exitCode == 0)
        #expect(try holds("ZSTREET = 'Rua' AND ZHEIGHT = 2.0"))
        let reply = try daemon.client().call(
            "org.coexistd.Control.Update", ["object": "Sample/1", "values": ["place.street": .null]])
        #expect(reply["object"]?["values"]?["place"]?["height"] == 2.0)
        #expect(try holds("ZSTREET IS NULL AND ZHEIGHT = 2.0"))
        #expect(try ctl("update", "Sample/1", "place:={\"street\":\"x\"}").exitCode == 0)
        #expect(try holds("ZSTREET = 'x' AND ZHEIGHT IS NULL"), "an object replaces the whole")
        let unknown = try ctl("update", "Sample/1", "place.town=x")
        #expect(unknown.errors.contains("UnknownKey: Sample.place has no element town. It has street"))
        let mixed = try ctl("update", "Sample/1", "place.height=1", "place:={}")
        #expect(mixed.errors.contains("TypeMismatch: Sample.place is given whole and by its elements"))
        #expect(try ctl("update", "Sample/1", "text.x=1").errors.contains("UnknownKey"))
    }

    @Test func aKeyThatIsGivenTwiceIsRefused() throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        for second in ["text=B", "text:=null", "text:=@/dev/null"] {
            let result = try daemon.ctl("insert", "Sample", "text=A", second)
            #expect(result.exitCode == 2 && result.errors.contains("text is given twice"), "\(result.errors)")
        }
        #expect(try daemon.json("fetch", "Sample", "--count") == [0])
    }

    @Test func aDateIsTakenInSecondsAsItsMessageOffers() throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        let object = try daemon.json("insert", "Sample", "moment=86400.5").first
        #expect(object?["values"]?["moment"] == "2001-01-02T00:00:00.5Z")
        #expect(try holds("ZMOMENT = 86400.5"))
        #expect(try daemon.ctl("update", "Sample/1", "moment=-1").exitCode == 0)
        #expect(try holds("ZMOMENT = -1"))
        let refused = try daemon.ctl("update", "Sample/1", "moment=tomorrow")
        #expect(refused.errors.contains("or seconds since 2001-01-01 UTC"))
    }

    @Test(arguments: ["large=9223372036854775808", "large:=9223372036854775808", "small=-99999999999999999999"])
    func anIntegerThatIsTooLongIsNotCalledNoInteger(value: String) throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        let result = try daemon.ctl("insert", "Sample", value)
        #expect(result.errors.contains("TypeMismatch") && result.errors.contains("does not fit 64 bits"))
        #expect(result.errors.contains("9223372036854775807"), "the way out names the range: \(result.errors)")
    }

    @Test func bytesInAColumnOfAnotherTypeDoNotLookLikeText() throws {
        let planted = try Programs.sqlite3(
            path,
            "INSERT INTO ZSAMPLE (Z_PK, Z_ENT, Z_OPT, ZTEXT, ZIDENTIFIER, ZLINK, ZSTREET) "
                + "VALUES (1, 1, 1, x'FF00', x'01', x'FF00', x'02')")
        #expect(planted.exitCode == 0, "\(planted.errors)")
        let daemon = try RunningDaemon(store: path, folder: folder)
        for stack in ["legacy", "model"] {
            let values = try daemon.json("get", "Sample/1", "--stack", stack).first?[0]?["values"]
            #expect(values?["text"] == ["$data": "/wA="])
            #expect(values?["identifier"] == ["$data": "AQ=="])
            #expect(values?["link"] == ["$data": "/wA="])
            #expect(values?["place"]?["street"] == ["$data": "Ag=="])
            // As the independent reader shows them.
            let line = try #require(try Programs.ctl("dump", path, "--stack", stack).lines.first)
            #expect(try JSON(parsing: line)["values"]?["text"] == "/wA=")
        }
        #expect(try daemon.ctl("get", "Sample/1").output.contains("  text = {\"$data\":\"/wA=\"}"))
    }

    @Test(arguments: ["legacy", "model"])
    func theWayOutOfAConflictIsOneThatTheCommandLineHas(stack: String) throws {
        let daemon = try RunningDaemon(store: path, folder: folder)
        if stack == "model" { #expect(try daemon.ctl("handover", "Sample", "--to", "model").exitCode == 0) }
        #expect(try daemon.ctl("insert", "Sample", "text=a").exitCode == 0)
        let result = try daemon.ctl("update", "Sample/1", "text=b", "--expect", "7")
        #expect(result.errors.contains("VersionConflict"), "\(result.errors)")
        #expect(result.errors.contains("Read it again, and send the change anew."), "\(result.errors)")
    }

    @Test func aDeniedDeleteSpeaksOfTheRelationship() throws {
        let sample = try SampleStore()
        let daemon = try RunningDaemon(store: sample.path, folder: sample.folder)
        #expect(try daemon.ctl("insert", "Shelf", "label=A").exitCode == 0)
        #expect(try daemon.ctl("insert", "Book", "shelf=Shelf/1").exitCode == 0)
        let result = try daemon.ctl("delete", "Shelf/1")
        #expect(result.errors.contains("DeleteDenied") && result.errors.contains("Shelf.books"), "\(result.errors)")
        #expect(!result.errors.contains("owner"), "\(result.errors)")
    }

    @Test func aBoundThatIsBrokenIsNamed() throws {
        let model = folder.file("Form.xcdatamodel")
        try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: false)
        try Data(
            """
            <?xml version="1.0"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Form" syncable="YES">
            <attribute name="age" optional="YES" attributeType="Integer 16" minValueString="18" maxValueString="99"/>
            <attribute name="code" optional="YES" attributeType="String" minValueString="2" maxValueString="4"/>
            <attribute name="rate" optional="YES" attributeType="Double" minValueString="0.5" maxValueString="1.5"/>
            <attribute name="born" optional="YES" attributeType="Date" maxDateTimeInterval="86400"/>
            </entity></model>
            """.utf8
        ).write(to: URL(fileURLWithPath: model + "/contents"))
        let path = folder.file("Form.sqlite")
        #expect(try Programs.ctl("create", path, "--model", model).exitCode == 0)
        let daemon = try RunningDaemon(store: path, folder: folder)
        for (value, message) in [
            ("age=100", "is 100, more than the maximum 99"), ("age=1", "is 1, less than the minimum 18"),
            ("code=abcde", "is 5 characters long, more than the maximum 4"),
            ("code=a", "is 1 characters long, less than the minimum 2"),
            ("rate=2", "more than the maximum 1.5"), ("rate=0.25", "less than the minimum 0.5"),
            ("born=2001-01-03", "is 2001-01-03T00:00:00Z, more than the maximum 2001-01-02T00:00:00Z"),
        ] {
            let result = try daemon.ctl("insert", "Form", value)
            #expect(result.exitCode == 1 && result.errors.contains(message), "\(result.errors)")
        }
    }

    @Test func theHelpOfADumpDoesNotPromiseText() throws {
        let line = try Programs.ctl("help", "dump").lines.first { $0.contains("--json") }
        #expect(line?.contains("JSON lines either way") == true && line?.contains("text, for people") == false)
    }
}
