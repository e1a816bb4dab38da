import Foundation
import Testing

@testable import StoreModel

@Suite struct VersionHashesTests {
    /// Worked out with Python's hashlib from the rules of Format, section 9.
    private static let expected = [
        "Thing": "jvd7wKS/DSxISgtBC8IMw5Pz5paWzE4MUdLGTcaP2Dw=",
        "Box": "5hrTZ0NpAIPkeuR6Uv3qMsuV5tHDVzRtJFIJ2h4jOgE=",
        "Part": "hpZ5oa1IYsaEPmqUL3CMU4yzd5LOnG/VA/v9nrC3LCg=",
    ]

    @Test func everyRuleOfTheSerialisationIsKept() throws {
        #expect(try SampleModel.model.versionHashes().mapValues { $0.base64EncodedString() } == Self.expected)
    }

    @Test func digestsAreOverAllEntitiesByName() throws {
        let hashes = try SampleModel.model.versionHashes()
        #expect(VersionHashes.modelChecksum(hashes) == "1poWjhPOyQV4eDCBhL1CqoCZM2Rfai2CH6I9YQJCCi0=")
        #expect(try SampleModel.model.versionChecksum() == "1poWjhPOyQV4eDCBhL1CqoCZM2Rfai2CH6I9YQJCCi0=")
        #expect(
            VersionHashes.hashesDigest(hashes)
                == "0XNns0MHHL/1t2TV1B2odHsGx5bsnJFmzeK/+XIwEPtnj6en1MsiSpzYVVyIthsmpFhp5gliNYZFl14eqniwmQ==")
    }

    @Test func whatIsNotStoredDoesNotCount() throws {
        var model = SampleModel.model
        var box = SampleModel.box
        box.className = "Other"
        box.userInfo = [:]
        box.fetchIndexes = []
        box.renamingIdentifier = nil
        box.attributes.append(SampleModel.attribute("draft", .string) { $0.isTransient = true })
        box.relationships[2].deleteRule = .deny
        model.entities[0] = box
        #expect(try model.versionHashes().mapValues { $0.base64EncodedString() } == Self.expected)
    }

    @Test func brokenInheritanceIsAnErrorNotALoop() {
        let cycle = ModelDescription(entities: [
            EntityDescription(name: "A", superentityName: "B"), EntityDescription(name: "B", superentityName: "A"),
        ])
        #expect(throws: ModelError.self) { try cycle.versionHashes() }
        #expect(throws: ModelError.self) { try cycle.checkInheritance() }
        let orphan = ModelDescription(entities: [EntityDescription(name: "A", superentityName: "B")])
        #expect(throws: ModelError.missing(what: "entity B", place: "entity A")) { try orphan.versionHashes() }
    }
}
