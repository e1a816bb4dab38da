import Foundation
import KeyedArchive
import SQLite
import StoreFormat
import Testing

/// A change of the metadata's property list, and the rules and places that it breaks.
struct MetadataDamage: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout PropertyListDictionary) -> Void
    var findings: [[String]]

    func plant(_ path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        let bytes = try #require(try connection.scalar("SELECT Z_PLIST FROM Z_METADATA")?.blobValue)
        var plist = try #require(try PropertyList.parse(Data(bytes)).dictionary)
        change(&plist)
        try connection.setMainTriggersEnabled(false)
        try connection.run(
            "UPDATE Z_METADATA SET Z_PLIST = ?", [.blob([UInt8](try PropertyList.binary(.dictionary(plist))))])
    }

    private static let sums = [["metadata-digest", "Z_METADATA"], ["metadata-checksum", "Z_METADATA"]]

    private static func hash(_ plist: inout PropertyListDictionary, _ entity: String, _ value: PropertyListNode?) {
        var hashes = plist[StoreMetadata.Key.hashes]?.dictionary ?? PropertyListDictionary()
        hashes[entity] = value
        plist[StoreMetadata.Key.hashes] = .dictionary(hashes)
    }

    static let all: [MetadataDamage] = [
        .init(
            testDescription: "another hash", change: { hash(&$0, "Lamp", .data(Data(repeating: 7, count: 32))) },
            findings: [["metadata-hash", "Lamp"]] + sums),
        .init(
            testDescription: "an entity more", change: { hash(&$0, "Ghost", .data(Data(repeating: 7, count: 32))) },
            findings: [["metadata-entities", "Z_METADATA"]] + sums),
        .init(
            testDescription: "an entity less", change: { hash(&$0, "Lamp", nil) },
            findings: [["metadata-entities", "Z_METADATA"]] + sums),
        .init(
            testDescription: "another digest", change: { $0[StoreMetadata.Key.digest] = .string("AAAA") },
            findings: [["metadata-digest", "Z_METADATA"]]),
        .init(
            testDescription: "another checksum", change: { $0[StoreMetadata.Key.checksum] = .string("AAAA") },
            findings: [["metadata-checksum", "Z_METADATA"]]),
        .init(
            testDescription: "no digest", change: { $0[StoreMetadata.Key.digest] = nil },
            findings: [["metadata-digest", "Z_METADATA"]]),
        .init(
            testDescription: "no checksum", change: { $0[StoreMetadata.Key.checksum] = nil },
            findings: [["metadata-checksum", "Z_METADATA"]]),
        .init(
            testDescription: "another type", change: { $0[StoreMetadata.Key.storeType] = .string("XML") },
            findings: [["metadata-type", "Z_METADATA"]]),
        .init(
            testDescription: "another version of hashes", change: { $0[StoreMetadata.Key.hashesVersion] = .integer(4) },
            findings: [["metadata-version", "Z_METADATA"]]),
        .init(
            testDescription: "no framework version", change: { $0[StoreMetadata.Key.frameworkVersion] = nil },
            findings: [["metadata-version", "Z_METADATA"]]),
        .init(
            testDescription: "another level of vacuum", change: { $0[StoreMetadata.Key.autoVacuum] = .string("1") },
            findings: [["metadata-vacuum", "Z_METADATA"]]),
        .init(
            testDescription: "identifiers that are no texts",
            change: { $0[StoreMetadata.Key.identifiers] = .array([.integer(1)]) },
            findings: [["metadata-identifiers", "Z_METADATA"]]),
    ]
}
