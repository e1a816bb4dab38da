import Foundation
import KeyedArchive
import StoreFormat
import TestKit

extension FuzzTarget {
    static let propertyLists: [FuzzTarget] = [
        FuzzTarget("property-list", "a property list, binary or XML", errors: [PropertyListError.self]) { bytes in
            let node = try PropertyList.parse(bytes)
            let written: Data
            do {
                written = try PropertyList.binary(node)
            } catch let error as PropertyListError where error.kind == .cannotWrite {
                return
            }
            let again = try PropertyList.parse(written)
            // Not a number is unequal to itself, so such lists are compared as they are written.
            try promise(again == node || (try PropertyList.binary(again)) == written, "a list reads back otherwise")
        },
        FuzzTarget(
            "keyed-archive", "a keyed archive", errors: [PropertyListError.self, KeyedArchiveError.self]
        ) { bytes in
            let archive = try KeyedArchive(data: bytes)
            for index in archive.objects.indices.prefix(1_000) {
                if let object = archive.object(UInt64(index)) { examine(object) }
            }
            guard let root = archive.root else { return }
            examine(root)
            _ = try root.extracted()
        },
        FuzzTarget("metadata", "the property list in Z_METADATA", errors: [StoreError.self]) { bytes in
            let metadata = try StoreMetadata(
                uuid: "00000000-0000-0000-0000-000000000000", propertyList: bytes, path: "store.sqlite")
            _ = (metadata.digest, metadata.checksum, metadata.frameworkVersion, metadata.versionIdentifiers)
            _ = try SchemaAgreement.compare(SampleModels.library, with: metadata)
        },
    ]

    private static func examine(_ object: ArchivedObject) {
        _ = (object.string, object.integer, object.real, object.bool, object.date, object.data, object.uuid)
        _ = (object.url, object.elements, object.entries, object.namedEntries, object.classNames, object.fieldNames)
    }
}
