import Foundation
import StoreFormat
import StoreModel
import SwiftData
import TestKit
import Testing

@Model final class Parcel {
    @Attribute(.unique, .preserveValueOnDeletion) var code: UUID
    @Attribute(originalName: "title") var label: String?
    @Attribute(hashModifier: "grams") var weight: Double = 1
    @Attribute(.externalStorage) var scan: Data?
    var sent: Date
    var pieces: Int
    var isUrgent: Bool
    var sender: Sender
    @Relationship(deleteRule: .cascade, inverse: \Halt.parcel) var stops: [Halt] = []
    @Transient var isShown = false

    struct Sender: Codable {
        var name: String
        var age: Int
    }

    init(code: UUID, sent: Date, sender: Sender) {
        (self.code, self.sent, self.sender, pieces, isUrgent) = (code, sent, sender, 1, false)
    }
}

@Model final class Halt {
    var place: String
    var parcel: Parcel?

    init(place: String) { self.place = place }
}

@Model final class Ticket {
    var place: String = "standing"
    init() {}
}

/// The same entity twice, the second time with one member more in a structure.
private enum First {
    @Model final class Letter {
        var person: Person
        init(person: Person) { self.person = person }
    }

    struct Person: Codable {
        var name: String
        var age: Int
    }
}

private enum Second {
    @Model final class Letter {
        var person: Person
        init(person: Person) { self.person = person }
    }

    struct Person: Codable {
        var name: String
        var age: Int
        var nick: String?
    }
}

@Suite struct SchemaHashTests {
    /// The schema of Parcel as a model's source, whose hashes an independent program worked out by Format, section 9. The
    /// members of a structure are optional whatever Swift says, as in the stores that SwiftData makes.
    private static let source = """
        <?xml version="1.0"?>
        <model userDefinedModelVersionIdentifier="1.0.0">
          <entity name="Parcel">
            <attribute name="code" attributeType="UUID" preserveAfterDeletion="YES"/>
            <attribute name="label" optional="YES" attributeType="String" elementID="title"/>
            <attribute name="weight" attributeType="Double" defaultValueString="1" versionHashModifier="grams"/>
            <attribute name="scan" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
            <attribute name="sent" attributeType="Date"/>
            <attribute name="pieces" attributeType="Integer 64"/>
            <attribute name="isUrgent" attributeType="Boolean"/>
            <attribute name="sender" attributeType="Composite" composite="Sender"/>
            <relationship name="stops" toMany="YES" deletionRule="Cascade" destinationEntity="Halt"
                inverseName="parcel" inverseEntity="Halt"/>
            <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint>
            </uniquenessConstraints>
          </entity>
          <entity name="Halt">
            <attribute name="place" attributeType="String"/>
            <relationship name="parcel" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Parcel"
                inverseName="stops" inverseEntity="Parcel"/>
          </entity>
          <composite name="Sender">
            <attribute name="name" optional="YES" attributeType="String"/>
            <attribute name="age" optional="YES" attributeType="Integer 64"/>
          </composite>
        </model>
        """

    private static let hashes = [
        "Halt": "mJIDGQI4CyM48vCIt0Ttp/TqZllImN/bfR2yJ1rf9fk=",
        "Parcel": "fHpoVzO9hmxnjOADAbIIqKWs7WmZaCFkkDORsEt5ZKg=",
    ]

    @Test func aSchemaHasTheHashesOfTheSameSource() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("Parcel.xcdatamodel")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Data(Self.source.utf8).write(to: URL(fileURLWithPath: path + "/contents"))
        let read = try ModelReader.read(at: path).model
        let model = try Schema(Parcel.self).modelDescription()
        #expect(try model.versionHashes().mapValues { $0.base64EncodedString() } == Self.hashes)
        #expect(try read.versionHashes() == model.versionHashes())
        #expect(try model.versionChecksum() == "6eOCOWloEnpgjGS9ODx2gp6YRi95IJymdIk7lRa1Xcg=")
        #expect(ModelDifference.changingHashes(model, read).isEmpty)
        // A store made of it carries the same.
        let store = try StoreCreator.create(folder.file("parcels.store"), model: model)
        #expect(store.metadata.versionHashes.mapValues { $0.base64EncodedString() } == Self.hashes)
        #expect(try Store.open(store.path).model.versionHashes() == model.versionHashes())
    }

    /// The former name goes into the model for the migration, and is no part of the stored form.
    @Test func theFormerNameOfAPropertyIsNotHashed() throws {
        let model = try Schema(Parcel.self).modelDescription()
        var other = model
        let parcel = try #require(other.entities.firstIndex { $0.name == "Parcel" })
        let label = try #require(other.entities[parcel].attributes.firstIndex { $0.name == "label" })
        #expect(other.entities[parcel].attributes[label].renamingIdentifier == "title")
        other.entities[parcel].attributes[label].renamingIdentifier = nil
        #expect(try other.versionHashes() == model.versionHashes())
        // The name itself is: a store of the property's former name is another one.
        other.entities[parcel].attributes[label].name = "title"
        #expect(try other.versionHashes() != model.versionHashes())
        let differences = ModelDifference.changingHashes(other, model)
        #expect(differences.map(\.what) == ["renamed"] && differences.map(\.kind) == [.lightweight])
    }

    @Test func oneMemberMoreInAStructureIsOneAddedColumn() throws {
        let old = try Schema(First.Letter.self).modelDescription()
        let new = try Schema(Second.Letter.self).modelDescription()
        let differences = ModelDifference.between(old, new)
        #expect(
            differences == [
                .init(
                    entity: "Letter", property: "person.nick", what: "added", a: nil, b: "string optional",
                    kind: .lightweight)
            ])
        #expect(try old.versionHashes() != new.versionHashes())
    }

    /// A default is what new objects start with, and no part of the stored form.
    @Test func aDefaultChangesNoHash() throws {
        let model = try Schema(Ticket.self).modelDescription()
        let folder = try TemporaryFolder()
        func read(_ text: String) throws -> ModelDescription {
            let path = folder.file("\(UUID()).xcdatamodel")
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            let source = """
                <model><entity name="Ticket"><attribute name="place" attributeType="String"\(text)/></entity></model>
                """
            try Data(source.utf8).write(to: URL(fileURLWithPath: path + "/contents"))
            return try ModelReader.read(at: path).model
        }
        for text in ["", " defaultValueString=\"standing\"", " defaultValueString=\"other\""] {
            let other = try read(text)
            #expect(try other.versionHashes() == model.versionHashes(), "\(text)")
            #expect(ModelDifference.changingHashes(model, other).isEmpty, "\(text)")
        }
        let other = try read(" optional=\"YES\"")
        #expect(!ModelDifference.changingHashes(model, other).isEmpty)
    }

    /// A version's label says nothing of its shape: both checksums are named, and nothing is written.
    @Test func oneVersionOfTwoShapesIsTold() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("letters.store")
        let old = try Schema(First.Letter.self).modelDescription()
        let new = try Schema(Second.Letter.self).modelDescription()
        #expect(old.versionIdentifiers == new.versionIdentifiers)
        try StoreCreator.create(path, model: old)
        let before = try FileImage.of(folder.path)
        let error = #expect(throws: StoreError.self) {
            _ = try ModelContainer(
                for: Second.Letter.self, configurations: ModelConfiguration(url: URL(fileURLWithPath: path)))
        }
        #expect(error?.code == .schemaMismatch)
        let message = error?.message ?? ""
        #expect(message.contains("both call themselves version 1.0.0"), "\(message)")
        #expect(try message.contains("the store's checksum is \(old.versionChecksum())"), "\(message)")
        #expect(try message.contains("the model's \(new.versionChecksum())"), "\(message)")
        #expect(try FileImage.of(folder.path) == before)
    }
}
