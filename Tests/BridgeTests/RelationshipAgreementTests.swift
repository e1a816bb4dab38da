import Bridge
import Foundation
import LegacyStack
import ModelStack
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

/// Relationships that one stack wrote read the same through both, also after the file was closed, and the other goes on
/// from there.
@Suite struct RelationshipAgreementTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Library.sqlite")
    }

    private func create(_ model: ModelDescription = SampleModels.library) throws {
        try StoreCreator.create(path, model: model)
    }

    /// Opens the stack anew for each use.
    private func with<T>(_ stack: StackName, _ body: (any StackInstance) throws -> T) throws -> T {
        let instance: any StackInstance =
            stack == .legacy ? try LegacyInstance(path: path) : try ModelInstance(path: path)
        defer { instance.close() }
        return try body(instance)
    }

    @discardableResult
    private func save(_ stack: StackName, _ operations: ObjectBatch.Operation...) throws -> SaveResult {
        try with(stack) { try $0.save(ObjectBatch(operations)) }
    }

    /// The relationship as both stacks have it.
    private func value(_ entity: String, _ key: Int64, _ name: String) throws -> RelationshipValue? {
        let reference = ObjectReference(entity: entity, key: key)
        let values = try StackName.allCases.map { stack in
            try with(stack) { try $0.object(reference, isFresh: true)?.relationships[name] }
        }
        #expect(values[0] == values[1])
        return values[0]
    }

    private func expectSound() throws {
        let connection = try Connection(path: path, mode: .readOnly)
        let violations = try StoreVerifier.verify(connection, store: Store.open(path))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test(arguments: StackName.allCases)
    func bothEndsOfAPairOutliveTheFile(writer: StackName) throws {
        try create()
        try save(
            writer, .insert(entity: "Member", name: "m", values: ["name": .attribute(.string("Ann"))]),
            .insert(
                entity: "Card", name: "c", values: ["number": .attribute(.integer(7)), "member": .toOne(.new("m"))]))
        let (member, card) = (ObjectReference(entity: "Member", key: 1), ObjectReference(entity: "Card", key: 1))
        #expect(try value("Member", 1, "card") == .toOne(card))
        #expect(try value("Card", 1, "member") == .toOne(member))
        // The other stack gives the member another card.
        let other: StackName = writer == .legacy ? .model : .legacy
        try save(
            other,
            .insert(
                entity: "Card", name: "c",
                values: ["number": .attribute(.integer(8)), "member": .toOne(.existing(member))]))
        #expect(try value("Member", 1, "card") == .toOne(ObjectReference(entity: "Card", key: 2)))
        #expect(try value("Card", 1, "member") == .toOne(nil))
        try expectSound()
    }

    @Test(arguments: StackName.allCases)
    func theOrderIsKept(writer: StackName) throws {
        try create()
        let other: StackName = writer == .legacy ? .model : .legacy
        for i in 1...4 {
            try save(writer, .insert(entity: "Book", name: "b", values: ["title": .attribute(.string("\(i)"))]))
        }
        func books(_ keys: Int64...) -> [ObjectReference] { keys.map { ObjectReference(entity: "Book", key: $0) } }
        func targets(_ keys: Int64...) -> ObjectBatch.Input {
            .toMany(keys.map { .existing(ObjectReference(entity: "Book", key: $0)) })
        }
        let shelf = ObjectReference(entity: "Shelf", key: 1)
        try save(writer, .insert(entity: "Shelf", name: "s", values: ["books": targets(3, 1, 2)]))
        #expect(try value("Shelf", 1, "books") == .toMany(books(3, 1, 2)))
        try save(writer, .update(shelf, values: ["books": targets(2, 3, 1)], expecting: nil))
        #expect(try value("Shelf", 1, "books") == .toMany(books(2, 3, 1)))
        try save(other, .update(shelf, values: ["books": targets(2, 4, 3, 1)], expecting: nil))
        #expect(try value("Shelf", 1, "books") == .toMany(books(2, 4, 3, 1)))
        try save(other, .update(shelf, values: ["label": .attribute(.string("x"))], expecting: nil))
        try save(writer, .delete(ObjectReference(entity: "Book", key: 3), expecting: nil))
        #expect(try value("Shelf", 1, "books") == .toMany(books(2, 4, 1)))
        try expectSound()
    }

    /// Without an inverse the members' rows hold the owner's key: a member has one owner, and a second takes it over.
    @Test(arguments: StackName.allCases)
    func aToManyWithoutAnInverseIsOneToMany(writer: StackName) throws {
        var spec = EntityDescription(name: "Spec")
        spec.relationships = [
            RelationshipDescription(name: "parts", destination: "Part", inverse: nil, maxCount: 0)
        ]
        var part = EntityDescription(name: "Part")
        part.attributes = [AttributeDescription(name: "name", type: .string, isOptional: true)]
        try create(ModelDescription(entities: [part, spec]))
        let other: StackName = writer == .legacy ? .model : .legacy
        for name in ["a", "b"] {
            try save(writer, .insert(entity: "Part", name: "p", values: ["name": .attribute(.string(name))]))
        }
        let parts = (1...2).map { ObjectReference(entity: "Part", key: Int64($0)) }
        let both = ObjectBatch.Input.toMany(parts.map { .existing($0) })
        try save(writer, .insert(entity: "Spec", name: "s", values: ["parts": both]))
        #expect(try value("Spec", 1, "parts") == .toMany(parts))
        try save(other, .insert(entity: "Spec", name: "s", values: ["parts": .toMany([.existing(parts[1])])]))
        #expect(try value("Spec", 1, "parts") == .toMany([parts[0]]))
        #expect(try value("Spec", 2, "parts") == .toMany([parts[1]]))
        let found = try StackName.allCases.map { stack in
            try with(stack) { instance in
                try instance.objects(
                    matching: ObjectQuery(entity: "Spec", predicate: PredicateNode.parse("ANY parts.name == 'b'"))
                ).map(\.reference.key)
            }
        }
        #expect(found == [[2], [2]])
        try expectSound()
    }

    /// An element that comes to the end of an ordered to-many changes nothing of those that are there.
    @Test(arguments: StackName.allCases) func siblingsOfANewElementStayAsTheyAre(stack: StackName) throws {
        let sample = try BridgeSample()
        let bridge = try sample.open { $0.seed = OwnershipSeed(defaultOwner: stack) }
        defer { bridge.close() }
        let instance = bridge.instance(stack)
        let shelf = try instance.insert("Shelf", ["label": .string("s")])
        for _ in 0..<5 {
            let values: [String: ObjectBatch.Input] = ["shelf": .toOne(.existing(shelf))]
            _ = try instance.save(ObjectBatch([.insert(entity: "Book", name: "b", values: values)]))
        }
        // 2048, then steps of 1024 (Format, section 3.3); nobody's version rises but the shelf's.
        #expect(
            try sample.rows("SELECT Z_OPT, Z_FOK_SHELF FROM ZBOOK ORDER BY Z_PK")
                == (0..<5).map { [.integer(1), .integer(2048 + 1024 * $0)] })
        #expect(try sample.rows("SELECT Z_OPT FROM ZSHELF") == [[.integer(6)]])
        #expect(
            try sample.rows("SELECT count(*) FROM ACHANGE GROUP BY ZTRANSACTIONID")
                == [[.integer(1)]] + Array(repeating: [.integer(2)], count: 5))
    }
}
