import Foundation
import Testing

@testable import StoreModel

@Suite struct ModelLintTests {
    private func warnings(_ body: String, _ attributes: String = "") throws -> [ModelWarning] {
        let text = "<model \(attributes)>\(body)</model>"
        return try ContentsReader(Data(text.utf8), source: "test").model().warnings()
    }

    private static let inside: [(String, ModelWarning.Code, String)] = [
        ("<relationship name=\"p\" maxCount=\"1\" destinationEntity=\"A\"/>", .noInverse, "A.p has no inverse"),
        (
            "<relationship name=\"p\" maxCount=\"1\" destinationEntity=\"B\" inverseName=\"b\"/>",
            .inverseLeadsElsewhere, "A.p has the inverse B.b, whose own inverse is A.ok"
        ),
        (
            "<relationship name=\"p\" maxCount=\"1\" destinationEntity=\"A\" inverseName=\"p\" deletionRule=\"No Action\"/>",
            .noActionRule, "A.p has the delete rule No Action, which leaves keys that lead nowhere"
        ),
        (
            "<relationship name=\"p\" minCount=\"3\" maxCount=\"2\" destinationEntity=\"A\" inverseName=\"p\"/>",
            .impossibleCounts, "A.p asks for at least 3 and at most 2 objects"
        ),
        (
            "<relationship name=\"p\" ordered=\"YES\" maxCount=\"1\" destinationEntity=\"A\" inverseName=\"p\"/>",
            .orderedToOne, "A.p is ordered, but leads to one object"
        ),
        (
            "<relationship name=\"p\" maxCount=\"1\" destinationEntity=\"A\" inverseName=\"p\" inverseEntity=\"B\"/>",
            .inverseLeadsElsewhere, "A.p has its inverse in B, but leads to A"
        ),
        (
            "<attribute name=\"p\" attributeType=\"Date\"/>", .mandatoryWithoutDefault,
            "A.p is mandatory and has no default"
        ),
        (
            "<attribute name=\"p\" attributeType=\"UUID\"/>", .mandatoryWithoutDefault,
            "A.p is mandatory and has no default"
        ),
        (
            "<attribute name=\"p\" attributeType=\"URI\"/>", .mandatoryWithoutDefault,
            "A.p is mandatory and has no default"
        ),
        (
            "<attribute name=\"p\" attributeType=\"Integer 16\" defaultValueString=\"40000\"/>", .valueOfAnotherType,
            "A.p has the default 40000, which is no value of type integer16"
        ),
        (
            "<attribute name=\"p\" optional=\"YES\" attributeType=\"Date\" minValueString=\"noon\"/>",
            .valueOfAnotherType,
            "A.p has the minimum \"noon\", which is no value of type date"
        ),
        ("<relationship name=\"p\" toMany=\"YES\" destinationEntity=\"A\"/>", .noInverse, "A.p has no inverse"),
        (
            "<attribute name=\"p\" optional=\"YES\" attributeType=\"Binary\" allowsExternalBinaryDataStorage=\"YES\" preserveAfterDeletion=\"YES\"/>",
            .preservedOutside,
            "A.p is to be preserved after deletion, and may lie in a file of its own, which goes with the object: history keeps nothing of it"
        ),
        ("<attribute name=\"p\"/>", .undefinedType, "A.p is stored, but has no type"),
        (
            "<attribute name=\"p\" attributeType=\"Transformable\"/>", .insecureTransformer,
            "A.p has no transformer that checks the classes in its archive"
        ),
        (
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"p\"/></uniquenessConstraint></uniquenessConstraints>",
            .unknownProperty, "A has a uniqueness constraint over p, which is no property of it"
        ),
        (
            "<fetchIndex name=\"i\"><fetchIndexElement property=\"p\"/></fetchIndex>", .unknownProperty,
            "A has index i over p, which is no property of it"
        ),
        (
            "<compoundIndexes><compoundIndex><index value=\"p\"/></compoundIndex></compoundIndexes>", .unknownProperty,
            "A has a compound index over p, which is no property of it"
        ),
        (
            "<fetchedProperty name=\"p\"><fetchRequest name=\"r\" entity=\"Z\"/></fetchedProperty>", .unknownEntity,
            "A.p has a fetch request whose entity Z is not there"
        ),
    ]

    @Test(arguments: inside)
    func whatACompilerWarnsOfIsWarnedOf(_ part: String, _ code: ModelWarning.Code, _ message: String) throws {
        let found = try warnings(
            """
            <entity name="A">\(part)<relationship name="ok" maxCount="1" destinationEntity="B" inverseName="b"/></entity>
            <entity name="B"><relationship name="b" maxCount="1" destinationEntity="A" inverseName="ok"/></entity>
            """)
        #expect(found.map(\.code) == [code])
        #expect(found.map(\.description) == [message])
    }

    @Test func whatBelongsToTheModelIsWarnedOf() throws {
        let found = try warnings(
            """
            <entity name="A"><attribute name="x" optional="YES" attributeType="String"/></entity>
            <entity name="B" parentEntity="A"><attribute name="x" optional="YES" attributeType="String"/></entity>
            <configuration name="C"><memberEntity name="Z"/></configuration>
            <fetchRequest name="F" entity="A" predicateString="x ="/>
            """)
        #expect(found.map(\.code) == [.unknownEntity, .unreadablePredicate, .redeclared])
        #expect(
            found.first?.description == "the model has configuration C with Z, which is no entity of it")
    }

    @Test func whatCloudKitCannotHaveIsWarnedOfOnlyWhereItIsUsed() throws {
        let body = """
            <entity name="A"><attribute name="x" attributeType="String"/>
            <relationship name="p" toMany="YES" ordered="YES" deletionRule="Deny" destinationEntity="A" inverseName="p"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="x"/></uniquenessConstraint>
            </uniquenessConstraints></entity>
            """
        #expect(try warnings(body).isEmpty)
        let found = try warnings(body, "usedWithCloudKit=\"YES\"")
        #expect(found.allSatisfy { $0.code == .notForCloudKit })
        #expect(found.map(\.property) == [nil, "x", "p", "p", "p"])
    }

    @Test func aModelAsItShouldBeHasNoWarning() throws {
        let found = try warnings(
            """
            <entity name="A"><attribute name="d" optional="YES" attributeType="Date"/>
            <attribute name="t" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
            <attribute name="c" attributeType="Composite" composite="P"/>
            <relationship name="bs" toMany="YES" destinationEntity="B" inverseName="a" inverseEntity="B"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="c.x"/><constraint value="d"/>
            </uniquenessConstraint></uniquenessConstraints></entity>
            <entity name="Sub" parentEntity="A"/>
            <entity name="B"><relationship name="a" maxCount="1" destinationEntity="A" inverseName="bs"/></entity>
            <composite name="P"><attribute name="x" attributeType="Double"/></composite>
            """)
        #expect(found.isEmpty, "\(found)")
    }
}
