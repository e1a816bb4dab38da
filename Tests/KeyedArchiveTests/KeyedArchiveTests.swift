import Foundation
import Testing

@testable import KeyedArchive

@Suite struct KeyedArchiveTests {
    private func archive(_ objects: [PropertyListNode]) throws -> KeyedArchive {
        try KeyedArchive(
            propertyList: .dictionary([
                "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": .uid(1)]), "$objects": .array([.string("$null")] + objects),
            ]))
    }

    private func type(_ names: String...) -> PropertyListNode {
        .dictionary(["$classname": .string(names[0]), "$classes": .array(names.map { .string($0) })])
    }

    @Test func foundationsClassesAreRead() throws {
        let archive = try archive([
            .dictionary([
                "$class": .uid(2), "NS.keys": .array([.uid(3), .uid(5)]), "NS.objects": .array([.uid(4), .uid(7)]),
            ]),
            type("NSDictionary", "NSObject"), .string("when"),
            .dictionary(["$class": .uid(9), "NS.time": .real(12.5)]),
            .dictionary(["$class": .uid(6), "NS.string": .string("id")]),
            type("NSMutableString", "NSString", "NSObject"),
            .dictionary(["$class": .uid(8), "NS.uuidbytes": .data(Data(0..<16))]),
            type("NSUUID", "NSObject"), type("NSDate", "NSObject"),
        ])
        let root = try #require(archive.root)
        let entries = Dictionary(uniqueKeysWithValues: try #require(root.namedEntries).map { ($0.name, $0.value) })
        #expect(entries["when"]?.date == Date(timeIntervalSinceReferenceDate: 12.5))
        #expect(entries["id"]?.uuid == UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
        #expect(root.isKind(of: "NSObject"))
        #expect(root.className == "NSDictionary")
    }

    @Test func knownKeysDictionariesSkipEmptySlots() throws {
        let archive = try archive([
            .dictionary(["$class": .uid(2), "searchMapping": .uid(3), "values": .uid(6), "emptyToken": .uid(7)]),
            type("NSKnownKeysDictionary1", "NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary", "NSObject"),
            .dictionary(["$class": .uid(4), "keys": .uid(5)]), type("NSKnownKeysMappingStrategy1"),
            .dictionary(["$class": .uid(8), "NS.objects": .array([.uid(9), .uid(10), .uid(11)])]),
            .dictionary(["$class": .uid(8), "NS.objects": .array([.uid(12), .uid(7), .uid(0)])]),
            .string("__empty__"), type("NSArray", "NSObject"), .string("a"), .string("b"), .string("c"), .integer(5),
        ])
        let entries = try #require(archive.root?.namedEntries)
        #expect(entries.map(\.name) == ["a"])
        #expect(entries.first?.value.integer == 5)
    }

    @Test func referencesThatLeadNowhereAreNil() throws {
        let archive = try archive([
            .dictionary(["$class": .uid(99), "a": .uid(1000), "b": .uid(0), "c": .uid(2), "self": .uid(1)]), .uid(1),
        ])
        let root = try #require(archive.root)
        #expect(root.className == nil)
        #expect(root["a"] == nil && root["b"] == nil && root["c"] == nil && root["missing"] == nil)
        #expect(root["self"]?["self"]?.uid == 1)
    }

    @Test func aGraphWithSharingAndACycleReadsBack() throws {
        var archiver = KeyedArchiver()
        let parent = archiver.reserve()
        let name = archiver.string("shared")
        let child = archiver.object(
            "Child", bases: ["NSObject"], ["parent": parent.node, "name": archiver.string("shared").node])
        let list = archiver.collection("NSMutableArray", [child, .null, child])
        archiver.fill(parent, "Parent", bases: ["NSObject"], ["list": list.node, "name": name.node, "n": .integer(3)])
        let read = try KeyedArchive(data: archiver.archive(root: parent))
        let root = try #require(read.root)
        let elements = try #require(root["list"]?.elements)
        #expect(elements.count == 3 && elements[1] == nil)
        #expect(elements[0]?.uid == elements[2]?.uid)
        #expect(elements[0]?["parent"]?.uid == root.uid)
        #expect(elements[0]?["name"]?.uid == root["name"]?.uid)
        #expect(root["list"]?.classNames == ["NSMutableArray", "NSArray", "NSObject"])
        #expect(root["n"]?.integer == 3)
    }

    @Test func whatIsNoArchiveIsRefused() {
        for list: PropertyListNode in [
            .integer(1), .dictionary([:]), .dictionary(["$archiver": .string("x"), "$objects": .array([])]),
            .dictionary(["$archiver": .string("NSKeyedArchiver"), "$objects": .array([])]),
        ] {
            #expect(throws: KeyedArchiveError.self) { try KeyedArchive(propertyList: list) }
        }
    }
}
