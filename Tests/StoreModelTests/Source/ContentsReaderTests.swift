import Foundation
import Testing

@testable import StoreModel

@Suite struct ContentsReaderTests {
    @Test(arguments: ["YES", "yes", "Yes", "true", "TRUE", "1"])
    func aFlagIsYesInWhateverCase(_ text: String) throws {
        #expect(try ContentsSample.attribute("attributeType=\"String\" optional=\"\(text)\"").isOptional)
        #expect(
            try ContentsSample.attribute("attributeType=\"Boolean\" defaultValueString=\"\(text)\"").defaultValue
                == .bool(true))
    }

    @Test(arguments: ["NO", "no", "False", "0", ""])
    func aFlagIsNoInWhateverCase(_ text: String) throws {
        #expect(try !ContentsSample.attribute("attributeType=\"String\" optional=\"\(text)\"").isOptional)
    }

    @Test(arguments: ["UTF-8", "UTF-16", "ISO-8859-1"], ["\n", "\r\n", "\r"])
    func aModelIsReadInAnyEncodingAndWithAnyEndOfLine(_ encoding: String, _ end: String) throws {
        let text = """
            <?xml version="1.0" encoding="\(encoding)"?>
            <!-- one -->
            <model>
            <entity name="Größe" optional="maybe"/>
            <entity name="B" isAbstract="&#89;&#x45;S"><![CDATA[ ]]></entity></model>
            """.replacingOccurrences(of: "\n", with: end)
        let data =
            switch encoding {
            case "UTF-16": Data(([0xFEFF] + Array(text.utf16)).flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
            case "ISO-8859-1": Data(text.unicodeScalars.map { UInt8($0.value) })
            default: Data([0xEF, 0xBB, 0xBF]) + Data(text.utf8)
            }
        let model = try ContentsReader(data, source: "test").model()
        #expect(Set(model.entities.map(\.name)) == ["Größe", "B"] && model["B"]?.isAbstract == true)
        #expect(model.unreadParts.first?.line == 4)
    }

    @Test func anInheritedAttributeOfAnotherTypeIsRefusedWithItsLine() throws {
        func model(_ type: String) throws -> ModelDescription {
            try ContentsSample.read(
                """
                <entity name="A"><attribute name="b" optional="YES" attributeType="String"/></entity>
                <entity name="M" parentEntity="A"/><entity name="B" parentEntity="M">
                <attribute name="b" optional="YES" attributeType="\(type)"/></entity>
                """)
        }
        #expect(
            throws: ModelError.malformed(
                source: "test",
                reason: "line 4: A.b is an attribute of the type string, but B, which inherits it, declares B.b as an "
                    + "attribute of the type integer16")
        ) { try model("Integer 16") }
        #expect(try model("String")["B"]?.attributes.map(\.name) == ["b"])
    }

    @Test func entitiesAndTheirPartsAreRead() throws {
        let model = try ContentsSample.read(
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
        #expect(note.versionHashModifier == "2" && note.isSyncable == false && note.codeGenerationType == "class")
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
        let attribute = try ContentsSample.attribute(attributes)
        #expect(attribute.type == type)
        #expect(attribute.defaultValue == value)
    }

    @Test func boundsBecomeValidationsToo() throws {
        let number = try ContentsSample.attribute(
            "attributeType=\"Double\" minValueString=\"-3.5\" maxValueString=\"4\"")
        #expect(number.minimum == .double(-3.5) && number.maximum == .double(4))
        #expect(number.validations.map(\.predicateFormat) == ["SELF >= -3.5", "SELF <= 4.0"])
        let text = try ContentsSample.attribute(
            "attributeType=\"String\" maxValueString=\"12\" regularExpressionString=\"[a-z]+\"")
        #expect(text.maximum == .integer(12) && text.regularExpression == "[a-z]+")
        #expect(text.validations.map(\.predicateFormat) == ["length <= 12", "SELF MATCHES \"[a-z]+\""])
        #expect(text.validations.map(\.warning) == [.integer(1660), .integer(1680)])
    }

    @Test func flagsOfAttributesAreRead() throws {
        let binary = try ContentsSample.attribute(
            """
            attributeType="Binary" optional="YES" transient="YES" allowsExternalBinaryDataStorage="YES" indexed="YES"
            preserveAfterDeletion="YES" spotlightIndexingEnabled="YES" storedInTruthFile="YES" elementID="old"
            usesScalarValueType="NO" versionHashModifier="add index" allowsCloudEncryption="YES"
            """)
        #expect(binary.isOptional && binary.isTransient && binary.allowsExternalBinaryDataStorage && binary.isIndexed)
        #expect(binary.preservesValueInHistoryOnDeletion && binary.isIndexedBySpotlight && binary.isStoredInTruthFile)
        #expect(binary.renamingIdentifier == "old" && binary.usesScalarValueType == false)
        #expect(binary.versionHashModifier == "add index" && binary.allowsCloudEncryption)
        let transformable = try ContentsSample.attribute(
            "attributeType=\"Transformable\" customClassName=\"[String]\" valueTransformerName=\"T\"")
        #expect(transformable.valueClassName == "[String]" && transformable.valueTransformerName == "T")
        let derived = try ContentsSample.attribute(
            "attributeType=\"String\" derived=\"YES\" derivationExpression=\"uppercase:(title)\"")
        #expect(derived.derivation?.hashDescription == "uppercase:(title)" && derived.isReadOnly)
        #expect(try ContentsSample.attribute("optional=\"YES\" transient=\"YES\"").type == .undefined)
    }

    @Test func compositesUnfoldWhereTheyAreNamed() throws {
        let model = try ContentsSample.read(
            """
            <entity name="E"><attribute name="where" attributeType="Composite" composite="Point"/></entity>
            <composite name="Point"><attribute name="x" attributeType="Double"/>
            <attribute name="y" attributeType="Double"/></composite>
            """)
        let attribute = try #require(model["E"]?.attributes.first)
        #expect(attribute.compositeName == "Point" && attribute.elements.map(\.name) == ["x", "y"])
    }

    @Test func relationshipsAndFetchedPropertiesAreRead() throws {
        let model = try ContentsSample.read(
            """
            <entity name="A">
              <relationship name="bs" optional="YES" toMany="YES" minCount="1" maxCount="9" deletionRule="Cascade"
                  ordered="YES" destinationEntity="B" inverseName="a" inverseEntity="B" elementID="old"/>
              <relationship name="b" maxCount="1" deletionRule="No Action" destinationEntity="B"/>
              <fetchedProperty name="same" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="B"
                  predicateString="n = $FETCH_SOURCE.n"/></fetchedProperty>
            </entity>
            <entity name="B">
              <relationship name="a" maxCount="1" destinationEntity="A" inverseName="bs" inverseEntity="A"/>
            </entity>
            """)
        let many = try #require(model["A"]?.relationships.first)
        #expect(many.minCount == 1 && many.maxCount == 9 && many.isOrdered && many.deleteRule == .cascade)
        #expect(many.inverseName == "a" && many.renamingIdentifier == "old" && many.isOptional)
        let one = try #require(model["A"]?.relationships.last)
        #expect(!one.isToMany && one.deleteRule == .noAction && one.inverseName == nil && !one.isOptional)
        #expect(model["A"]?.fetchedProperties.first?.request.predicateFormat == "n = $FETCH_SOURCE.n")
    }

    @Test func attributesWithoutAMeaningAreKeptWithTheirPlace() throws {
        let model = try ContentsSample.read(
            """
            <entity name="A" shade="dark"><attribute name="a" attributeType="Date" defaultDateTimeInterval="5"
                defaultValueString="tomorrow" derivationExpression="b"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="a" weight="2"/></uniquenessConstraint>
            </uniquenessConstraints><relationship name="r" toMany="YES" maxCount="1" destinationEntity="A" inverseEntity="A"
            deletionRule="Deny" deleteRule="Cascade"/></entity><configuration name="C" cloud="1"/><elements odd="x"><odd/></elements>
            """)
        let parts = model.unreadParts.map { "\($0.place): \($0.name)=\($0.value) \($0.line ?? 0)" }
        #expect(
            parts == [
                "entity A: shade=dark 2", "entity A, attribute a: defaultValueString=tomorrow 3",
                "entity A, attribute a: derivationExpression=b 3",
                "entity A, uniquenessConstraints, uniquenessConstraint, constraint: weight=2 4",
                "entity A, relationship r: deleteRule=Cascade 6", "entity A, relationship r: inverseEntity=A 6",
                "entity A, relationship r: toMany=YES 6", "configuration C: cloud=1 6",
            ])
        #expect(model["A"]?.relationships.first?.deleteRule == .deny)
        #expect(model["A"]?.attributes.first?.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 5)))
        #expect(model["A"]?.attributes.first?.isDerived == false)
    }

    @Test func aBoundThatIsNoValueBoundsNothing() throws {
        let date = try ContentsSample.attribute(
            "attributeType=\"Date\" minValueString=\"2010-01-01 01:00:00\" maxDateTimeInterval=\"9\"")
        #expect(date.minimum == .string("2010-01-01 01:00:00"))
        #expect(date.validations.map(\.predicateFormat) == ["SELF <= CAST(9.0, \"NSDate\")"])
    }

    @Test func whatBelongsToTheModelItselfIsKept() throws {
        let text = """
            <model name="M" type="t" documentVersion="1.0" usedWithCloudKit="YES" userDefinedModelVersionIdentifier="3">
            <composite name="Point"><attribute name="x" attributeType="Double"/></composite>
            <entity name="E"><fetchIndex name="i" partialIndexPredicate="a > 1">
            <fetchIndexElement expression="self.entity" type="RTree" order="descending"/>
            <fetchIndexElement expression="length:(name)" expressionType="Integer 32"/></fetchIndex></entity></model>
            """
        let model = try ContentsReader(Data(text.utf8), source: "test").model()
        #expect(
            model.documentAttributes == ["name": "M", "type": "t", "documentVersion": "1.0", "usedWithCloudKit": "YES"])
        #expect(model.versionIdentifiers == ["3"] && model.composites.map(\.name) == ["Point"])
        #expect(model.composites.first?.elements.map(\.type) == [.double])
        let index = try #require(model["E"]?.fetchIndexes.first)
        #expect(index.partialIndexPredicateFormat == "a > 1")
        #expect(
            index.elements == [
                .init(property: "self.entity", isExpression: true, kind: .rTree, isAscending: false),
                .init(property: "length:(name)", isExpression: true, expressionType: .integer32),
            ])
    }
}
