import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A model of which no tables can be made is refused by entity and property before anything is written; what has a number in
/// Core Data's own files gets one.
@Suite struct SchemaClashTests {
    private static func text(_ name: String) -> AttributeDescription {
        AttributeDescription(name: name, type: .string, isOptional: true)
    }

    private static func entity(
        _ name: String = "X", _ attributes: [String] = ["a", "b"], unique: [[String]] = [],
        indexes: [(String, [String])] = [], kind: FetchIndexDescription.Element.Kind = .binary
    ) -> EntityDescription {
        var entity = EntityDescription(name: name)
        entity.attributes = attributes.map(text)
        entity.uniquenessConstraints = unique
        entity.fetchIndexes = indexes.map { name, properties in
            FetchIndexDescription(
                name: name, elements: properties.map { .init(property: $0, kind: kind, isAscending: true) })
        }
        return entity
    }

    private static func many(_ name: String, _ destination: String, _ inverse: String) -> RelationshipDescription {
        RelationshipDescription(name: name, destination: destination, inverse: inverse, maxCount: 0)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let what: String
        let entities: [EntityDescription]
        /// What the message must name.
        let named: [String]

        var testDescription: String { what }
    }

    static let refusals: [Refusal] = {
        var transient = entity(unique: [["a"]])
        transient.attributes[0].isTransient = true
        var composite = entity(unique: [["a"]])
        composite.attributes[0] = AttributeDescription(name: "a", type: .composite, isOptional: true)
        composite.attributes[0].elements = [text("x")]
        var element = composite
        element.uniquenessConstraints = [["a.x"]]
        var toMany = entity("A", unique: [["bs"]])
        toMany.relationships = [many("bs", "B", "a")]
        var one = entity("B")
        one.relationships = [RelationshipDescription(name: "a", destination: "A", inverse: "bs")]
        var pairs = entity("A")
        pairs.relationships = [many("foo", "A", "FOO"), many("FOO", "A", "foo")]
        var joins = (entity("A"), entity("B"))
        joins.0.relationships = [many("x", "B", "y"), many("X", "B", "z")]
        joins.1.relationships = [many("y", "A", "x"), many("z", "A", "X")]
        var key = entity("A")
        key.relationships = [RelationshipDescription(name: "_pk", destination: "A", inverse: nil)]
        var preserved = entity("X", (0..<1_993).map { "a\($0)" })
        for i in preserved.attributes.indices { preserved.attributes[i].preservesValueInHistoryOnDeletion = true }
        func fractions(_ count: Int) -> EntityDescription {
            var entity = entity("X", (0..<count).map { "a\($0)" })
            for i in entity.attributes.indices { entity.attributes[i].type = .double }
            let elements = entity.attributes.map {
                FetchIndexDescription.Element(property: $0.name, kind: .rTree, isAscending: true)
            }
            entity.fetchIndexes = [FetchIndexDescription(name: "place", elements: elements)]
            return entity
        }
        var child = entity("B", [])
        child.superentityName = "A"
        func overriding(_ change: (inout EntityDescription) -> Void) -> EntityDescription {
            var entity = child
            change(&entity)
            return entity
        }
        var grandchild = entity("C", ["a"])
        grandchild.superentityName = "B"
        grandchild.attributes[0].type = .date
        var parent = entity("A")
        parent.relationships = [RelationshipDescription(name: "r", destination: "A", inverse: nil)]
        let number = overriding {
            $0.attributes = [AttributeDescription(name: "a", type: .integer16, isOptional: true)]
        }
        let toOne = overriding {
            $0.relationships = [RelationshipDescription(name: "a", destination: "A", inverse: nil)]
        }
        let several = overriding {
            $0.relationships = [RelationshipDescription(name: "r", destination: "A", inverse: nil, maxCount: 0)]
        }
        return [
            Refusal(
                what: "another type than the inherited", entities: [entity("A"), number],
                named: ["A.a", "string", "B.a", "integer16"]),
            Refusal(
                what: "another type over two levels", entities: [entity("A"), child, grandchild],
                named: ["A.a", "string", "C.a", "date"]),
            Refusal(
                what: "a relationship in an attribute's place", entities: [entity("A"), toOne],
                named: ["A.a", "attribute", "B.a", "relationship"]),
            Refusal(
                what: "many in the place of one", entities: [parent, several], named: ["A.r", "one", "B.r", "many"]),
            Refusal(what: "entities", entities: [entity("foo"), entity("FOO")], named: ["foo", "FOO", "ZFOO"]),
            Refusal(what: "the metadata", entities: [entity("_METADATA")], named: ["_METADATA"]),
            Refusal(what: "the catalogue", entities: [entity("_PrimaryKey")], named: ["_PrimaryKey"]),
            Refusal(what: "the model cache", entities: [entity("_modelcache")], named: ["_modelcache"]),
            Refusal(what: "the key", entities: [entity("X", ["_pk"])], named: ["X._pk", "Z_PK"]),
            Refusal(what: "the entity number", entities: [entity("X", ["_ENT"])], named: ["X._ENT"]),
            Refusal(what: "the version", entities: [entity("X", ["_Opt"])], named: ["X._Opt"]),
            Refusal(what: "a to-one in the key's place", entities: [key], named: ["A._pk"]),
            Refusal(
                what: "indexes", entities: [entity(indexes: [("i", ["a"]), ("I", ["b"])])],
                named: ["index i of X", "index I of X"]),
            Refusal(
                what: "one index twice", entities: [entity(indexes: [("i", ["a"]), ("i", ["b"])])],
                named: ["index i of X"]),
            Refusal(
                what: "indexes of two entities",
                entities: [entity("A", indexes: [("B_c", ["a"])]), entity("A_B", indexes: [("c", ["a"])])],
                named: ["B_c of A", "c of A_B"]),
            Refusal(what: "one constraint twice", entities: [entity(unique: [["a"], ["a"]])], named: ["(a) of X"]),
            Refusal(
                what: "constraints", entities: [entity("X", ["a", "b", "a_b"], unique: [["a", "b"], ["a_b"]])],
                named: ["(a, b) of X", "(a_b) of X"]),
            Refusal(
                what: "an index and a constraint", entities: [entity(unique: [["a"]], indexes: [("UNIQUE_a", ["a"])])],
                named: ["UNIQUE_a of X", "(a) of X"]),
            Refusal(what: "join tables", entities: [joins.0, joins.1], named: ["A.x", "A.X"]),
            Refusal(what: "both ends of a many-to-many", entities: [pairs], named: ["foo", "FOO"]),
            Refusal(what: "a location index", entities: [fractions(2), entity("_RT_X_place")], named: ["place of X"]),
            Refusal(what: "six dimensions", entities: [fractions(6)], named: ["place of X", "5"]),
            Refusal(
                what: "columns", entities: [entity("X", (0..<1_998).map { "a\($0)" })], named: ["X", "2001", "2000"]),
            Refusal(what: "tombstones", entities: [preserved], named: ["1993", "2000"]),
            Refusal(
                what: "columns of an index",
                entities: [entity(indexes: [("i", [String](repeating: "a", count: 2_001))])],
                named: ["index i of X", "2001", "2000"]),
            Refusal(what: "a constraint of nothing", entities: [entity(unique: [["c"]])], named: ["(c) of X", "c"]),
            Refusal(what: "an empty constraint", entities: [entity(unique: [[]])], named: ["X"]),
            Refusal(what: "a transient constraint", entities: [transient], named: ["(a) of X", "transient"]),
            Refusal(what: "a composite constraint", entities: [composite], named: ["(a) of X", "composite"]),
            Refusal(what: "a constraint of an element", entities: [element], named: ["(a.x) of X", "element"]),
            Refusal(what: "a constraint of a to-many", entities: [toMany, one], named: ["(bs) of A", "to-many"]),
        ]
    }()

    @Test(arguments: refusals)
    func itIsRefusedByNameAndNothingIsMade(refusal: Refusal) throws {
        let folder = try TemporaryFolder()
        let error = #expect(throws: StoreError.self) {
            try StoreCreator.create(folder.file("s.sqlite"), model: ModelDescription(entities: refusal.entities))
        }
        #expect(error?.code == .modelUnreadable)
        for name in refusal.named { #expect(error?.message.contains(name) == true, "\(error?.message ?? "")") }
        #expect(error?.way.isEmpty == false)
        #expect(error?.message.contains("CREATE") == false)
        #expect(try FolderContents(folder.path).files.isEmpty)
    }

    /// As many as there can be, and names that Core Data numbers: of one entity, of siblings, of an attribute and a key.
    @Test func whatHasNumbersIsMade() throws {
        var owner = Self.entity("A", ["X", "foo", "FOO", "Foo"])
        owner.relationships = [RelationshipDescription(name: "x", destination: "B", inverse: "y")]
        var other = Self.entity("B", (0..<1_996).map { "a\($0)" })
        other.relationships = [RelationshipDescription(name: "y", destination: "A", inverse: "x")]
        var siblings = [Self.entity("P", ["p"]), Self.entity("C", ["t"]), Self.entity("D", ["t"])]
        for i in 1...2 { siblings[i].superentityName = "P" }
        // An attribute may be in a constraint of its entity and in one of a subentity.
        siblings[0].uniquenessConstraints = [["p"]]
        siblings[1].uniquenessConstraints = [["p"], ["p", "t"]]
        let folder = try TemporaryFolder()
        let path = folder.file("s.sqlite")
        try StoreCreator.create(path, model: ModelDescription(entities: [owner, other] + siblings))
        #expect(try StoreVerifier.verify(StoreConnector.offlineReader(path), store: Store.open(path)) == [])
        func columns(_ table: String) throws -> [String] {
            try Programs.sqlite3(path, "SELECT name FROM pragma_table_info('\(table)')").lines
        }
        // The key first, then texts in the order of their names' bytes: FOO, Foo, X, foo.
        #expect(try columns("ZA") == ["Z_PK", "Z_ENT", "Z_OPT", "ZX", "ZFOO", "ZFOO1", "ZX1", "ZFOO2"])
        #expect(try columns("ZB").count == 2_000)
        #expect(try columns("ZP") == ["Z_PK", "Z_ENT", "Z_OPT", "ZP", "ZT", "ZT1"])
    }

    /// A store whose own model would have an entity read and write the metadata is not opened.
    @Test func aStoreOfSuchAModelIsNotOpened() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("s.sqlite")
        try StoreCreator.create(path, model: ModelDescription(entities: [Self.entity("X")]))
        let hostile = ModelDescription(entities: [Self.entity("X"), Self.entity("_METADATA")])
        let cache = try ModelCache.encode(hostile).map { String(format: "%02x", $0) }.joined()
        _ = try Programs.sqlite3(path, "UPDATE Z_MODELCACHE SET Z_CONTENT = x'\(cache)'")
        let error = #expect(throws: StoreError.self) { try Store.open(path) }
        #expect(error?.code == .modelUnreadable && error?.message.contains("_METADATA") == true)
    }
}
