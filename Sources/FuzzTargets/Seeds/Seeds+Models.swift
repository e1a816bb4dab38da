import Foundation
import KeyedArchive
import StoreModel
import TestKit

extension Seeds {
    static func modelSeeds() throws -> [String: [Seed]] {
        let harbour = try ModelReader.readSource(Data(harbourSource.utf8), name: "harbour")
        let models = [("library", SampleModels.library), ("harbour", harbour)]
        let hashes = try PropertyListDictionary(
            models.map { name, model in
                let entries = try model.versionHashes().sorted { $0.key < $1.key }
                return (name, .dictionary(PropertyListDictionary(entries.map { ($0.key, .data($0.value)) })))
            })
        let versionInfo: PropertyListNode = .dictionary([
            "NSManagedObjectModel_CurrentVersionName": .string("library"),
            "NSManagedObjectModel_VersionHashes": .dictionary(hashes),
        ])
        let sources = seeds([("harbour.xml", harbourSource), ("small.xml", smallSource), ("names.xml", namesSource)])
        return [
            "model-source": sources,
            "model-store": sources,
            "model-archive": try models.map { ($0.0 + ".mom", try ModelCache.archive($0.1)) },
            "model-cache": try models.map { ($0.0, try ModelCache.encode($0.1)) } + [
                ("bomb", try RawDeflate.deflate(Data(count: 64 << 20), level: 9))
            ],
            "version-info": [("binary.plist", try PropertyList.binary(versionInfo))],
        ]
    }

    private static let smallSource = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="A"><attribute name="a" attributeType="String"/></entity>
        </model>
        """

    /// Names that an SQL text must quote, or that become one name in capitals.
    private static let namesSource = """
        <?xml version="1.0" encoding="UTF-8"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Order"><attribute name="select" attributeType="String"/>
                <attribute name="_from" attributeType="Integer 64"/><attribute name="key" attributeType="Date"/>
                <attribute name="a'b&quot;c;--" optional="YES" attributeType="String"/></entity>
            <entity name="order2" parentEntity="Order"><attribute name="SELECT" attributeType="Decimal"/></entity>
            <entity name="Größe"><attribute name="ß" attributeType="Double"/></entity>
        </model>
        """

    /// Something of everything that a model's XML can say.
    private static let harbourSource = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="3">
            <entity name="Harbour" representedClassName="Harbour" syncable="YES" versionHashModifier="2">
                <attribute name="name" attributeType="String" minValueString="1" maxValueString="40" regularExpressionString="[A-Z].*"/>
                <attribute name="depth" optional="YES" attributeType="Float" defaultValueString="4.5" minValueString="0"/>
                <attribute name="opened" optional="YES" attributeType="Date" defaultDateTimeInterval="-978307200"/>
                <attribute name="berths" optional="YES" attributeType="Integer 16" defaultValueString="12" usesScalarValueType="YES"/>
                <attribute name="plan" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="code" optional="YES" attributeType="UUID" preserveAfterDeletion="YES"/>
                <attribute name="site" optional="YES" attributeType="URI"/>
                <attribute name="fee" optional="YES" attributeType="Decimal" defaultValueString="0.10"/>
                <attribute name="open" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="tags" optional="YES" attributeType="Transformable" valueTransformerName="NSSecureUnarchiveFromData"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <attribute name="shipCount" optional="YES" attributeType="Integer 64" derived="YES" derivationExpression="ships.@count"/>
                <attribute name="lower" optional="YES" attributeType="String" derived="YES" derivationExpression="lowercase:(name)"/>
                <attribute name="draft" optional="YES" transient="YES" attributeType="String"/>
                <relationship name="ships" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Ship" inverseName="harbour" inverseEntity="Ship"/>
                <fetchedProperty name="large" optional="YES">
                    <fetchRequest name="fetchedPropertyFetchRequest" entity="Ship" predicateString="length &gt; 100"/>
                </fetchedProperty>
                <fetchIndex name="byName"><fetchIndexElement property="name" type="Binary" order="ascending"/>
                    <fetchIndexElement property="depth" type="Binary" order="descending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="name"/><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
                <userInfo><entry key="note" value="a &lt;b&gt;"/></userInfo>
            </entity>
            <entity name="Ship" isAbstract="YES" elementID="Vessel">
                <attribute name="length" attributeType="Double" defaultValueString="1"/>
                <relationship name="harbour" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Harbour" inverseName="ships" inverseEntity="Harbour"/>
                <relationship name="crew" optional="YES" toMany="YES" minCount="1" deletionRule="Nullify" destinationEntity="Sailor" inverseName="ships" inverseEntity="Sailor"/>
                <relationship name="sisters" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Ship" inverseName="sisters" inverseEntity="Ship"/>
            </entity>
            <entity name="Ferry" parentEntity="Ship">
                <attribute name="seats" optional="YES" attributeType="Integer 32"/>
                <relationship name="route" optional="YES" maxCount="1" deletionRule="Deny" destinationEntity="Harbour"/>
            </entity>
            <entity name="Sailor">
                <relationship name="ships" optional="YES" toMany="YES" deletionRule="No Action" ordered="YES" destinationEntity="Ship" inverseName="crew" inverseEntity="Ship"/>
                <compoundIndexes><compoundIndex><index value="ships"/></compoundIndex></compoundIndexes>
            </entity>
            <composite name="Place">
                <attribute name="latitude" attributeType="Double"/>
                <attribute name="inner" attributeType="Composite" composite="Name"/>
            </composite>
            <composite name="Name"><attribute name="name" attributeType="String"/></composite>
            <fetchRequest name="Deep" entity="Harbour" predicateString="depth BETWEEN {3, 9} AND SUBQUERY(ships, $s, $s.length &gt; 3).@count &gt; 1" fetchLimit="10"/>
            <configuration name="Cloud"><memberEntity name="Harbour"/></configuration>
            <elements><element name="Harbour" positionX="0" positionY="0" width="128" height="44"/></elements>
        </model>
        """
}
