import Foundation
import Testing

@testable import StoreModel

@Suite struct ContentsReaderTests {
    private func read(_ body: String) throws -> ModelDescription {
        let text = "<?xml version=\"1.0\"?>\n<model userDefinedModelVersionIdentifier=\"1.8\">\(body)</model>"
        return try ContentsReader(Data(text.utf8), source: "test").model()
    }

    private func attribute(_ attributes: String) throws -> AttributeDescription {
        let model = try read("<entity name=\"E\"><attribute name=\"a\" \(attributes)/></entity>")
        return try #require(model["E"]?.attributes.first)
    }

    @Test func entitiesAndTheirPartsAreRead() throws {
        let model = try read(
            """
            <entity name="Base" isAbstract="YES" representedClassName="NSManagedObject" syncable="YES"/>
            <entity name="Note" parentEntity="Base" representedClassName=".Note" elementID="Memo" versionHashModifier="2"
                syncable="NO" codeGenerationType="class">
              <attribute name="title" attributeType="String"><userInfo><entry key="k" value="v"/></userInfo></attribute>
              <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="descending"/></fetchIndex>
              <compoundIndexes><compoundIndex><index value="title"/><index value="tag"/></compoundIndex></compoundIndexes>
              <uniquenessConstraints>
                <uniquenessConstraint><constraint value="title"/><constraint value="tag"/></uniquenessConstraint>
              </uniquenessConstraints>
              <userInfo><entry key="a" value="b"/></userInfo>
            </entity>
            <configuration name="Local"><memberEntity name="Note"/><memberEntity name="Base"/></configuration>
            <fetchRequest name="All" entity="Note" predicateString="title != nil" fetchLimit="5" resultType="2"
                returnDistinctResults="YES" includeSubentities="NO"/>
            <elements><element name="Note" positionX="0"/></elements>
            """)
        let note = try #require(model["Note"])
        #expect(model["Base"]?.isAbstract == true && model["Base"]?.className == nil)
        #expect(note.superentityName == "Base" && note.className == ".Note" && note.renamingIdentifier == "Memo")
        #expect(note.versionHashModifier == "2" && !note.isSyncable && note.codeGenerationType == "class")
        #expect(note.attributes.first?.userInfo == ["k": .string("v")])
        #expect(
            note.fetchIndexes == [
                FetchIndexDescription(name: "byTitle", elements: [.init(property: "title", isAscending: false)])
            ])
        #expect(note.compoundIndexes == [["title", "tag"]] && note.uniquenessConstraints == [["title", "tag"]])
        #expect(note.userInfo == ["a": .string("b")])
        #expect(model.configurations == ["Local": ["Base", "Note"]] && model.versionIdentifiers == ["1.8"])
        let request = try #require(model.fetchRequestTemplates.first)
        #expect(request.name == "All" && request.entityName == "Note" && request.predicateFormat == "title != nil")
        #expect(request.fetchLimit == 5 && request.resultType == 2 && request.returnsDistinctResults)
        #expect(!request.includesSubentities && request.includesPropertyValues)
    }

    @Test(arguments: [
        ("attributeType=\"Integer 16\" defaultValueString=\"-3\"", AttributeType.integer16, ModelValue.integer(-3)),
        ("attributeType=\"Integer 64\" defaultValueString=\"0.0\"", .integer64, .integer(0)),
        ("attributeType=\"Boolean\" defaultValueString=\"YES\"", .boolean, .bool(true)),
        ("attributeType=\"Double\" defaultValueString=\"1.5\"", .double, .double(1.5)),
        (
            "attributeType=\"Decimal\" defaultValueString=\"1.10\"", .decimal,
            .decimal(Decimal(sign: .plus, exponent: -1, significand: 11))
        ),
        ("attributeType=\"String\" defaultValueString=\"\"", .string, .string("")),
        (
            "attributeType=\"Date\" defaultDateTimeInterval=\"646585800\"", .date,
            .date(Date(timeIntervalSinceReferenceDate: 646_585_800))
        ),
        ("attributeType=\"URI\" defaultValueString=\"http://a\"", .uri, .url("http://a")),
        ("attributeType=\"Integer 32\" defaultValueString=\"many\"", .integer32, .string("many")),
    ])
    func defaultsAreReadByType(_ attributes: String, _ type: AttributeType, _ value: ModelValue) throws {
        let attribute = try attribute(attributes)
        #expect(attribute.type == type)
        #expect(attribute.defaultValue == value)
    }

    @Test func boundsBecomeValidationsToo() throws {
        let number = try attribute("attributeType=\"Double\" minValueString=\"-3.5\" maxValueString=\"4\"")
        #expect(number.minimum == .double(-3.5) && number.maximum == .double(4))
        #expect(number.validations.map(\.predicateFormat) == ["SELF >= -3.5", "SELF <= 4.0"])
        let text = try attribute("attributeType=\"String\" maxValueString=\"12\" regularExpressionString=\"[a-z]+\"")
        #expect(text.maximum == .integer(12) && text.regularExpression == "[a-z]+")
        #expect(text.validations.map(\.predicateFormat) == ["length <= 12", "SELF MATCHES \"[a-z]+\""])
        #expect(text.validations.map(\.warning) == [.integer(1660), .integer(1680)])
    }

    @Test func flagsOfAttributesAreRead() throws {
        let binary = try attribute(
            """
            attributeType="Binary" optional="YES" transient="YES" allowsExternalBinaryDataStorage="YES" indexed="YES"
            preserveAfterDeletion="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES" elementID="old"
            usesScalarValueType="NO" versionHashModifier="add index" allowsCloudEncryption="YES"
            """)
        #expect(binary.isOptional && binary.isTransient && binary.allowsExternalBinaryDataStorage && binary.isIndexed)
        #expect(binary.preservesValueInHistoryOnDeletion && binary.isIndexedBySpotlight && binary.isStoredInTruthFile)
        #expect(binary.renamingIdentifier == "old" && binary.usesScalarValueType == false)
        #expect(binary.versionHashModifier == "add index" && binary.allowsCloudEncryption)
        let transformable = try attribute(
            "attributeType=\"Transformable\" customClassName=\"[String]\" valueTransformerName=\"T\"")
        #expect(transformable.valueClassName == "[String]" && transformable.valueTransformerName == "T")
        let derived = try attribute(
            "attributeType=\"String\" derived=\"YES\" derivationExpression=\"uppercase:(title)\"")
        #expect(derived.derivation?.hashDescription == "uppercase:(title)" && derived.isReadOnly)
        #expect(try attribute("optional=\"YES\" transient=\"YES\"").type == .undefined)
    }

    @Test func compositesUnfoldWhereTheyAreNamed() throws {
        let model = try read(
            """
            <entity name="E"><attribute name="where" attributeType="Composite" composite="Point"/></entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/>
            <attribute name="y" attributeType="Double"/></composite>
            """)
        let attribute = try #require(model["E"]?.attributes.first)
        #expect(attribute.compositeName == "Point" && attribute.elements.map(\.name) == ["x", "y"])
    }

    @Test func relationshipsAndFetchedPropertiesAreRead() throws {
        let model = try read(
            """
            <entity name="A">
              <relationship name="bs" optional="YES" toMany="YES" minCount="1" maxCount="9" deletionRule="Cascade"
                  ordered="YES" destinationEntity="B" inverseName="a" inverseEntity="B" elementID="old"/>
              <relationship name="b" maxCount="1" deletionRule="No Action" destinationEntity="B"/>
              <fetchedProperty name="same" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="B"
                  predicateString="n = $FETCH_SOURCE.n"/></fetchedProperty>
            </entity>
            <entity name="B"/>
            """)
        let many = try #require(model["A"]?.relationships.first)
        #expect(many.minCount == 1 && many.maxCount == 9 && many.isOrdered && many.deleteRule == .cascade)
        #expect(many.inverseName == "a" && many.renamingIdentifier == "old" && many.isOptional)
        let one = try #require(model["A"]?.relationships.last)
        #expect(!one.isToMany && one.deleteRule == .noAction && one.inverseName == nil && !one.isOptional)
        #expect(model["A"]?.fetchedProperties.first?.request.predicateFormat == "n = $FETCH_SOURCE.n")
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
    ])
    func whatIsNoModelIsRefused(_ body: String) {
        #expect(throws: ModelError.self) { try read(body) }
    }
}
