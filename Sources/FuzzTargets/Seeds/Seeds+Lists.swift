import Foundation
import KeyedArchive
import SQLite
import StoreFormat
import TestKit

extension Seeds {
    static func listSeeds() throws -> [String: [Seed]] {
        var lists = seeds([("list.xml", xmlList)])
        lists.append(("binary", try PropertyList.binary(everyNode)))
        return [
            "property-list": lists,
            "keyed-archive": [("plain", try archive()), ("json", try jsonArchive())],
            "version-info": seeds([("old.xml", versionInfo)]),
            "metadata": [("new", try metadata()), ("old.xml", Data(xmlMetadata.utf8))],
        ]
    }

    private static let everyNode: PropertyListNode = .dictionary([
        "bool": .bool(true), "small": .integer(1), "large": .integer(.max), "negative": .integer(-2),
        "unsigned": .unsigned(.max), "real": .real(0.5), "text": .string("text"), "wide": .string("Füße 🛶"),
        "date": .date(Date(timeIntervalSinceReferenceDate: 1.5)), "data": .data(Data([0, 1, 2])), "uid": .uid(300),
        "array": .array([.integer(1), .array([]), .dictionary([:])]), "set": .set([.string("a")]),
        "long": .array((0..<20).map { .integer($0) }),
    ])

    private static let xmlList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0"><dict><key>a</key><array><true/><false/><integer>-1</integer><real>1e9</real>
        <string>&lt;x&#65;</string><data>AAEC</data><date>2001-01-01T00:00:00Z</date>
        <dict><key>CF$UID</key><integer>3</integer></dict></array></dict></plist>
        """

    private static let versionInfo = """
        <?xml version="1.0" encoding="UTF-8"?>
        <plist version="1.0"><dict><key>NSManagedObjectModel_CurrentVersionName</key><string>One</string>
        <key>NSManagedObjectModel_VersionHashes</key><dict><key>One</key><dict><key>A</key><data>AAECAwQFBgc=</data>
        </dict></dict></dict></plist>
        """

    private static let xmlMetadata = """
        <?xml version="1.0"?><plist version="1.0"><dict><key>NSStoreModelVersionHashesVersion</key><integer>2</integer>
        <key>NSPersistenceFrameworkVersion</key><integer>241</integer></dict></plist>
        """

    private static func metadata() throws -> Data {
        let store = try StoreCreator.create(Workshop.path("seed.sqlite"), model: SampleModels.library)
        defer { StoreBackup.remove(store.path) }
        return try PropertyList.binary(.dictionary(store.metadata.plist))
    }

    private static func archive() throws -> Data {
        var archiver = KeyedArchiver()
        let parent = archiver.reserve()
        let items = [
            archiver.value(.string("one")), archiver.value(.integer(2)),
            archiver.object("NSDate", bases: ["NSObject"], ["NS.time": .real(3)]),
            archiver.object("NSMutableString", bases: ["NSString", "NSObject"], ["NS.string": .string("four")]),
            archiver.object("NSUUID", bases: ["NSObject"], ["NS.uuidbytes": .data(Data(count: 16))]),
            archiver.object("NSURL", bases: ["NSObject"], ["NS.base": .uid(0), "NS.relative": .uid(2)]),
        ]
        let list = archiver.object(
            "NSArray", bases: ["NSObject"], ["NS.objects": .array(items.map(\.node) + [parent.node])])
        archiver.fill(
            parent, "NSMutableDictionary", bases: ["NSDictionary", "NSObject"],
            ["NS.keys": .array([items[0].node]), "NS.objects": .array([list.node])])
        return try archiver.archive(root: parent)
    }

    /// What SwiftData keeps an array of strings in.
    static func jsonArchive() throws -> Data {
        var archiver = KeyedArchiver()
        let root = archiver.object(
            "NSMutableData", bases: ["NSData", "NSObject"], ["NS.data": .data(Data("[\"a\"]".utf8))])
        return try archiver.archive(root: root)
    }
}
