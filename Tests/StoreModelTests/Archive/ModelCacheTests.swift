import Foundation
import KeyedArchive
import Testing

@testable import StoreModel

@Suite struct ModelCacheTests {
    @Test func aModelWithEverythingReadsBackEqual() throws {
        let read = try ModelCache.decode(ModelCache.encode(SampleModel.model))
        #expect(read == SampleModel.model)
        #expect(try read.versionHashes() == SampleModel.model.versionHashes())
    }

    @Test func anInheritedAttributeOfAnotherTypeIsRefused() throws {
        var parent = EntityDescription(name: "A")
        parent.attributes = [SampleModel.attribute("b", .string)]
        var child = EntityDescription(name: "B", superentityName: "A")
        child.attributes = [SampleModel.attribute("b", .date)]
        let data = try ModelCache.encode(ModelDescription(entities: [parent, child]))
        let error = #expect(throws: ModelError.self) { try ModelCache.decode(data) }
        for name in ["A.b", "string", "B.b", "date"] { #expect("\(error as Any)".contains(name)) }
    }

    @Test(arguments: [
        (AttributeType.boolean, ModelValue.bool(true)), (.integer64, .integer(-5)), (.double, .double(2)),
        (.double, .double(0.1)), (.string, .string("")), (.string, .string("é\n")),
        (.date, .date(Date(timeIntervalSinceReferenceDate: 12.25))), (.binaryData, .data(Data([0, 1, 2]))),
        (.uuid, .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))),
        (.uri, .url("https://example.com/a?b")),
        (.decimal, .decimal(Decimal(sign: .minus, exponent: -3, significand: 1_234_567_890_123))),
        (.decimal, .decimal(0)), (.composite, .dictionary(["x": .double(1.5)])),
    ])
    func defaultValuesReadBackEqual(_ type: AttributeType, _ value: ModelValue) throws {
        var entity = EntityDescription(name: "E")
        entity.attributes = [SampleModel.attribute("a", type) { $0.defaultValue = value }]
        let read = try ModelCache.decode(ModelCache.encode(ModelDescription(entities: [entity])))
        #expect(read["E"]?.attributes.first?.defaultValue == value)
    }

    @Test(arguments: [
        "a == 1 AND (b != nil OR NOT c IN {1, 2})", "ANY parts.size BETWEEN {1, 5}", "ALL a LIKE[cd] \"x*\"",
        "a MATCHES \"[a-z]+\" OR a BEGINSWITH \"q\" OR a ENDSWITH[c] \"r\" OR a CONTAINS \"s\"",
        "SUBQUERY(parts, $p, $p.size > 2).@count >= 1", "a + 2 * b < abs:(c)", "SELF == $x AND d <= $x.y.z",
        "d > CAST(12.5, \"NSDate\")", "TRUEPREDICATE", "a == TRUE",
        "TERNARY(a > 1 AND b != nil, \"x\", c.d) == TERNARY(a < 2, 3, 4)",
        "SUBQUERY(parts, $p, ANY $p.lids.size == 1).@count == FUNCTION(a, \"count:with:\", 1, 2)",
    ])
    func predicatesReadBackEqual(_ format: String) throws {
        var entity = EntityDescription(name: "E")
        entity.attributes = [SampleModel.attribute("a", .string)]
        entity.attributes[0].validations = [.init(predicateFormat: format, warning: .string("no"))]
        let read = try ModelCache.decode(ModelCache.encode(ModelDescription(entities: [entity])))
        #expect(read["E"]?.attributes.first?.validations.first?.predicateFormat == format)
    }

    @Test func aPropertyThatASubentityDeclaresAnewStaysIts() throws {
        var model = SampleModel.model
        model.entities[0].attributes.append(SampleModel.attribute("name", .string, optional: false))
        let read = try ModelCache.decode(ModelCache.encode(model))
        #expect(read["Box"]?.attributes.contains { $0.name == "name" && !$0.isOptional } == true)
        #expect(try read.versionHashes() == model.versionHashes())
        #expect(try read.versionHashes() != SampleModel.model.versionHashes())
    }

    @Test func keysWithoutAMeaningAreKeptWithTheirPlace() throws {
        var archiver = KeyedArchiver()
        let attribute = archiver.object(
            "NSAttributeDescription", bases: ["NSPropertyDescription", "NSObject"],
            [
                "NSPropertyName": archiver.string("a").node, "NSAttributeType": .integer(700),
                "NSFlagsKey": .integer(68),
                "NSShade": archiver.string("dark").node, "NSNothing": KeyedArchiver.Reference.null.node,
            ])
        let properties = archiver.dictionary("NSDictionary", [(archiver.string("a"), attribute)])
        let entity = archiver.object(
            "NSEntityDescription", bases: ["NSObject"],
            ["NSEntityName": archiver.string("E").node, "NSProperties": properties.node, "NSWeight": .real(1.5)])
        let entities = archiver.dictionary("NSDictionary", [(archiver.string("E"), entity)])
        let root = archiver.object(
            "NSManagedObjectModel", bases: ["NSObject"],
            [
                "NSEntities": entities.node, "CDMCompilerToolVersion": .real(1044),
                "CDMCompilerXcodeVersion": .integer(1500),
                "NSLater": .bool(true),
            ])
        let model = try ModelCache.decode(archive: archiver.archive(root: root), source: "test")
        #expect(
            Set(model.unreadParts.map { "\($0.place): \($0.name)=\($0.value)" }) == [
                "E.a: NSShade=dark", "E.a: NSFlagsKey=64", "entity E: NSWeight=1.5", ": NSLater=true",
            ])
        #expect(model["E"]?.attributes.first?.allowsExternalBinaryDataStorage == true)
        #expect(
            model.documentAttributes == ["CDMCompilerToolVersion": "1044.0", "CDMCompilerXcodeVersion": "1500"])
    }

    /// Archivers list a class with its bases; one that does not is read all the same, or refused: nothing is dropped unsaid.
    @Test func classesWithoutTheirBasesAreRead() throws {
        let archive = try PropertyList.parse(ModelCache.archive(SampleModel.model))
        func without(_ key: String) throws -> ModelDescription {
            var list = try #require(archive.dictionary)
            list["$objects"] = .array(
                (list["$objects"]?.elements ?? []).map { node in
                    guard var object = node.dictionary else { return node }
                    // Only a description of a class is cut; the classes of attributes are told by their bases.
                    guard let name = object["$classname"]?.string, name.hasPrefix("NSMutable") || name == "NSArray"
                    else {
                        return node
                    }
                    object[key] = nil
                    return .dictionary(object)
                })
            return try ModelCache.decode(archive: PropertyList.binary(.dictionary(list)), source: "test")
        }
        #expect(try without("$classes") == SampleModel.model)
        #expect(try without("$classname") == SampleModel.model)
    }

    @Test func anEntityWithoutANameIsRefused() throws {
        var archiver = KeyedArchiver()
        let entity = archiver.object("NSEntityDescription", bases: ["NSObject"], [:])
        let entities = archiver.dictionary("NSDictionary", [(archiver.string("E"), entity)])
        let root = archiver.object("NSManagedObjectModel", bases: ["NSObject"], ["NSEntities": entities.node])
        let archive = try archiver.archive(root: root)
        #expect(throws: ModelError.malformed(source: "test", reason: "entity E has no NSEntityName")) {
            try ModelCache.decode(archive: archive, source: "test")
        }
    }

    @Test func aRelationshipToNowhereIsRefused() throws {
        var archiver = KeyedArchiver()
        let relationship = archiver.object(
            "NSRelationshipDescription", bases: ["NSPropertyDescription", "NSObject"],
            [
                "NSPropertyName": archiver.string("r").node, "_NSDestinationEntityName": archiver.string("Z").node,
                "NSMaxCount": .integer(1),
            ])
        let properties = archiver.dictionary("NSDictionary", [(archiver.string("r"), relationship)])
        let entity = archiver.object(
            "NSEntityDescription", bases: ["NSObject"],
            ["NSEntityName": archiver.string("E").node, "NSProperties": properties.node])
        let entities = archiver.dictionary("NSDictionary", [(archiver.string("E"), entity)])
        let root = archiver.object("NSManagedObjectModel", bases: ["NSObject"], ["NSEntities": entities.node])
        let archive = try archiver.archive(root: root)
        #expect(throws: ModelError.missing(what: "entity Z", place: "test, relationship E.r")) {
            try ModelCache.decode(archive: archive, source: "test")
        }
    }

    @Test func inheritedPropertiesAreRepeatedInTheArchive() throws {
        let archive = try KeyedArchive(data: ModelCache.archive(SampleModel.model))
        let entities = try #require(archive.root?["NSEntities"])
        #expect(entities.className == "NSKnownKeysDictionary1")
        let box = try #require(entities.namedEntries?.first { $0.name == "Box" }?.value)
        let properties = try #require(box["NSProperties"]?.namedEntries).map(\.name)
        #expect(
            Set(properties) == ["name", "size", "count", "photo", "place", "friends", "lid", "parts"])
        #expect(box["NSManagedObjectModel"]?.uid == archive.root?.uid)
        #expect(box["NSSuperentity"]?["NSSubentities"]?.namedEntries?.first?.value.uid == box.uid)
        let photo = try #require(box["NSProperties"]?.namedEntries?.first { $0.name == "photo" }?.value)
        #expect(photo["NSFlagsKey"]?.integer == 20)
        // 0xF1 and the bit for optional.
        #expect(photo["_P"]?.integer == 243)
    }

    @Test func anEmptyOrCutCacheIsATypedError() throws {
        #expect(throws: ModelError.emptyCache) { try ModelCache.decode(nil) }
        #expect(throws: ModelError.emptyCache) { try ModelCache.decode(Data()) }
        let whole = try ModelCache.encode(SampleModel.model)
        for length in stride(from: 1, to: whole.count, by: 1) {
            #expect(throws: ModelError.self) { try ModelCache.decode(whole.prefix(length)) }
        }
    }

    @Test func anArchiveWithAByteWrongGivesAModelOrATypedError() throws {
        let whole = try ModelCache.archive(SampleModel.model)
        var refused = 0
        for place in stride(from: 0, to: whole.count, by: 9) {
            var broken = whole
            broken[place] ^= 1 << UInt8(place % 8)
            do {
                _ = try ModelCache.decode(archive: broken, source: "test")
            } catch {
                refused += 1
            }
        }
        #expect(refused > 50)
    }

    @Test func numbersThatNoDecimalHoldsAreKeptOrRefusedButNeverFatal() throws {
        for value in [Double.infinity, -.infinity, .nan, 1e300, 1e-300] {
            _ = ModelValue.double(value).coerced(to: .decimal)
        }
        for text in ["1e500", "-1e-500", String(repeating: "9", count: 400), "1e", "e", "nan"] {
            #expect(ModelValue(contentsText: text, type: .decimal) == .string(text))
            _ = try? PredicateNode.parse("a == \(text)")
            _ = try? PredicateNode.parse("a == CAST('\(text)', 'NSDecimalNumber')")
        }
        for exponent in [-128, -100, 0, 100, 127, 128] as [Int64] {
            var archiver = KeyedArchiver()
            let root = archiver.object(
                "NSDecimalNumber", bases: ["NSNumber", "NSObject"],
                [
                    "NS.mantissa": .data(Data(repeating: 0xFF, count: 16)), "NS.exponent": .integer(exponent),
                    "NS.length": .integer(8), "NS.mantissa.bo": .integer(1),
                ])
            _ = try KeyedArchive(data: archiver.archive(root: root)).root?.decimal
        }
    }

    @Test func partsThatUnfoldWithoutEndAreRefused() throws {
        // Each composite holds the next one eight times: 8^25 elements.
        var archiver = KeyedArchiver()
        var element = archiver.object(
            "NSAttributeDescription", bases: ["NSPropertyDescription", "NSObject"],
            ["NSPropertyName": archiver.string("leaf").node, "NSAttributeType": .integer(700)])
        for level in 0..<25 {
            let list = archiver.collection("NSArray", Array(repeating: element, count: 8))
            element = archiver.object(
                "NSCompositeAttributeDescription",
                bases: ["NSAttributeDescription", "NSPropertyDescription", "NSObject"],
                [
                    "NSPropertyName": archiver.string("c\(level)").node, "NSAttributeType": .integer(2100),
                    "NSCompositeElements": list.node,
                ])
        }
        let properties = archiver.dictionary("NSDictionary", [(archiver.string("c"), element)])
        let entity = archiver.object(
            "NSEntityDescription", bases: ["NSObject"],
            ["NSEntityName": archiver.string("E").node, "NSProperties": properties.node])
        let entities = archiver.dictionary("NSDictionary", [(archiver.string("E"), entity)])
        let root = archiver.object("NSManagedObjectModel", bases: ["NSObject"], ["NSEntities": entities.node])
        let archive = try archiver.archive(root: root)
        #expect(throws: ModelError.self) { try ModelCache.decode(archive: archive, source: "test") }
    }
}
