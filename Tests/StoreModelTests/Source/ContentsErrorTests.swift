import Foundation
import Testing

@testable import StoreModel

/// Sources that are no model: each is refused, with the line that is wrong.
@Suite struct ContentsErrorTests {
    @Test func aFlagThatIsNeitherIsRefusedWithItsLine() throws {
        #expect(throws: ModelError.malformed(source: "test", reason: "line 2: optional is `maybe`, not YES or NO")) {
            try ContentsSample.attribute("attributeType=\"String\" optional=\"maybe\"")
        }
        // What only an editor knows is kept, whatever it says.
        let model = try ContentsSample.read("<entity name=\"E\" later=\"maybe\"/>")
        #expect(model.unreadParts.map(\.value) == ["maybe"])
    }

    @Test(arguments: [
        "<entity/>", "<entity name=\"A\"/><entity name=\"A\"/>", "<what/>", "<entity name=\"A\"><x/></entity>",
        "<entity name=\"A\" parentEntity=\"B\"/>", "<entity name=\"A\" parentEntity=\"A\"/>",
        "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Odd\"/></entity>",
        "<entity name=\"A\"><attribute name=\"a\"/><attribute name=\"a\"/></entity>",
        "<entity name=\"A\"><relationship name=\"r\" maxCount=\"x\" destinationEntity=\"A\"/></entity>",
        "<entity name=\"A\"><relationship name=\"r\"/></entity>", "<entity name=\"A\">",
        "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\" composite=\"P\"/></entity>",
        "<entity name=\"A\"><attribute name=\"a\" attributeType=\"Composite\" composite=\"P\"/></entity><composite name=\"P\">"
            + "<attribute name=\"b\" attributeType=\"Composite\" composite=\"P\"/></composite>",
        "<entity name=\"A\"><attribute name=\"a\" derived=\"YES\" derivationExpression=\"((\"/></entity>",
        "text", "<![CDATA[text]]>", "<configuration name=\"C\"><memberEntity/></configuration>",
        "<fetchRequest name=\"F\"/><fetchRequest name=\"F\"/>",
        "<configuration name=\"C\"/><configuration name=\"C\"/>",
    ])
    func whatIsNoModelIsRefused(_ body: String) {
        #expect(throws: ModelError.self) { try ContentsSample.read(body) }
    }

    /// What stands in the third line of a model, with what the error says of it.
    private static let faults: [(inside: String, after: String, says: String)] = [
        ("<relationship name=\"r\" maxCount=\"1\" destinationEntity=\"Z\"/>", "", "entity Z does not exist"),
        (
            "<relationship name=\"r\" maxCount=\"1\" destinationEntity=\"A\" inverseName=\"s\"/>", "",
            "inverse A.s does not exist"
        ),
        ("<attribute name=\"a\" attributeType=\"Odd\"/>", "", "attributeType `Odd` is not supported"),
        ("<relationship name=\"r\" deletionRule=\"Odd\" destinationEntity=\"A\"/>", "", "deletion rule `Odd`"),
        (
            "<relationship name=\"r\" minCount=\"many\" destinationEntity=\"A\"/>", "",
            "minCount `many` is no whole number"
        ),
        (
            "<relationship name=\"r\" maxCount=\"99999999999\" destinationEntity=\"A\"/>", "",
            "maxCount `99999999999` is no whole number from -2147483648 to 2147483647"
        ),
        ("<attribute name=\"a\" attributeType=\"Composite\" composite=\"P\"/>", "", "composite P does not exist"),
        ("<attribute name=\"a\" attributeType=\"Composite\"/>", "", "names none"),
        ("<attribute name=\"a\" attributeType=\"Date\" defaultDateTimeInterval=\"x\"/>", "", "no number of seconds"),
        ("<attribute name=\"a\" attributeType=\"String\" derived=\"YES\"/>", "", "no derivationExpression"),
        (
            "<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" type=\"Odd\"/></fetchIndex>", "",
            "index type `Odd`"
        ),
        (
            "<fetchIndex name=\"i\"><fetchIndexElement property=\"a\" order=\"odd\"/></fetchIndex>", "",
            "index order `odd`"
        ),
        ("<fetchIndex name=\"i\"><fetchIndexElement/></fetchIndex>", "", "names no property"),
        ("<fetchIndex name=\"i\"><odd/></fetchIndex>", "", "element <odd>"),
        ("<attribute name=\"a\"><odd/></attribute>", "", "element <odd>"),
        ("<uniquenessConstraints><uniquenessConstraint/></uniquenessConstraints>", "", "names no property"),
        ("<userInfo><entry key=\"k\"/><entry key=\"k\"/></userInfo>", "", "the key k twice"),
        ("<userInfo><odd/></userInfo>", "", "element <odd>"),
        ("<fetchedProperty name=\"f\"/>", "", "0 fetch requests"),
        ("", "<entity name=\"B\" parentEntity=\"Z\"/>", "parent entity Z does not exist"),
        ("", "<entity name=\"B\" parentEntity=\"B\"/>", "entity B inherits from itself"),
        ("", "<entity name=\"A\"/>", "entity A is there twice"),
        (
            "", "<composite name=\"P\"><attribute name=\"x\"/><attribute name=\"x\"/></composite>",
            "composite P has x twice"
        ),
    ]

    @Test(arguments: faults)
    func anErrorNamesTheLine(_ fault: (inside: String, after: String, says: String)) throws {
        let body = "<entity name=\"A\">\n\(fault.inside)</entity>\(fault.after)"
        let error = #expect(throws: ModelError.self) { try ContentsSample.read(body) }
        let message = error.map { "\($0)" } ?? ""
        #expect(message.contains("line 3") && message.contains(fault.says), "\(message)")
    }
}
