import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit
import Testing

@Suite
struct LayoutTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func store(_ model: ModelDescription, _ change: (Connection) throws -> Void = { _ in }) throws -> Store {
        let path = folder.file("store.sqlite")
        try StoreCreator.create(path, model: model)
        try change(try Connection(path: path, mode: .readWrite))
        return try Store.open(path)
    }

    private func column(_ store: Store, _ entity: String, _ attribute: String) throws -> String? {
        let layout = try store.layout.entity(entity)
        return try #require(layout.attribute(attribute)?.leaf).column.map { layout.columns[$0] }
    }

    @Test("siblings with a property of the same name have columns of their own")
    func clash() throws {
        let names = ["Base", "First", "Second"]
        let entities = names.map { name in
            var entity = EntityDescription(name: name, superentityName: name == "Base" ? nil : "Base")
            if name != "Base" {
                entity.attributes = [AttributeDescription(name: "text", type: .string, isOptional: true)]
            }
            return entity
        }
        let store = try store(ModelDescription(entities: entities))
        #expect(try column(store, "First", "text") == "ZTEXT")
        #expect(try column(store, "Second", "text") == "ZTEXT1")
        #expect(store.layout["Base"]?.columns == [])
        #expect(try store.layout.entity("Base").treeNames == ["Base", "First", "Second"])
    }

    @Test(
        "a join table's columns are those of the name, and only then those with a clash's number",
        arguments: [
            (["link1", "link2"], [:], ["Z_1LINK2", "Z_1LINK1", "Z_FOK_1LINK1", "Z_FOK_1LINK2"]),
            (["link", "link1"], [:], ["Z_1LINK1", "Z_1LINK", "Z_FOK_1LINK", "Z_FOK_1LINK1"]),
            (
                ["link", "link1"], ["Z_1LINK": "Z_1LINK2", "Z_FOK_1LINK": "Z_FOK_1LINK2"],
                ["Z_1LINK1", "Z_1LINK2", "Z_FOK_1LINK2", "Z_FOK_1LINK1"]
            ),
            (["a", "b"], ["Z_1A": "Z_1A1", "Z_FOK_1A": "Z_FOK_1A1"], ["Z_1B", "Z_1A1", "Z_FOK_1A1", "Z_FOK_1B"]),
            (["a", "b"], ["Z_1A": "Z_1A1"], ["Z_1B", "Z_1A1", "Z_FOK_1A", "Z_FOK_1B"]),
        ] as [([String], [String: String], [String])])
    func joinColumns(names: [String], renamed: [String: String], expected: [String]) throws {
        let (a, b) = (names[0], names[1])
        var entity = EntityDescription(name: "Node")
        entity.relationships = [
            Short.toMany(a, "Node", inverse: b, ordered: true), Short.toMany(b, "Node", inverse: a, ordered: true),
        ]
        let store = try store(ModelDescription(entities: [entity])) { connection in
            for (old, new) in renamed {
                try connection.execute("ALTER TABLE Z_1\(b.uppercased()) RENAME COLUMN \(old) TO \(new)")
            }
        }
        guard case .manyToMany(let join)? = try store.layout.entity("Node").relationship(a)?.storage,
            case .manyToMany(let back)? = try store.layout.entity("Node").relationship(b)?.storage
        else {
            Issue.record("no join table was found")
            return
        }
        let found: [String?] = [join.ownColumn, join.otherColumn, join.orderColumn, join.inverseOrderColumn]
        #expect(found == expected)
        let mirrored: [String?] = [back.otherColumn, back.ownColumn, back.inverseOrderColumn, back.orderColumn]
        #expect(mirrored == expected)
    }

    @Test("a composite's leaf takes a name before the entity's own attribute")
    func composite() throws {
        var author = AttributeDescription(name: "author", type: .composite, isOptional: true)
        author.elements = [
            AttributeDescription(name: "id", type: .string), AttributeDescription(name: "name", type: .string),
        ]
        var entity = EntityDescription(name: "Drink")
        entity.attributes = [author, AttributeDescription(name: "id", type: .string, isOptional: true)]
        let store = try store(ModelDescription(entities: [entity]))
        let layout = try store.layout.entity("Drink")
        let leaves = try #require(layout.attribute("author")).leaves
        #expect(leaves.map { $0.column.map { layout.columns[$0] } } == ["ZID", "ZNAME"])
        #expect(leaves.map(\.path) == ["Drink.author.id", "Drink.author.name"])
        #expect(try column(store, "Drink", "id") == "ZID1")
    }

    @Test("a to-one to an entity with subentities has a column for the destination's entity")
    func polymorphic() throws {
        var person = EntityDescription(name: "Person")
        person.relationships = [
            RelationshipDescription(name: "visits", destination: "Visit", inverse: "guest", maxCount: 0)
        ]
        var visit = EntityDescription(name: "Visit")
        visit.relationships = [RelationshipDescription(name: "guest", destination: "Person", inverse: "visits")]
        let model = ModelDescription(entities: [
            person, EntityDescription(name: "Staff", superentityName: "Person"), visit,
        ])
        let store = try store(model)
        let layout = try store.layout.entity("Visit")
        guard case .toOne(let key)? = layout.relationship("guest")?.storage else { throw CancellationError() }
        #expect(layout.columns[key.column] == "ZGUEST")
        #expect(key.entityColumn.map { layout.columns[$0] } == "Z1_GUEST")
        guard case .toManyByInverse(let back)? = store.layout["Staff"]?.relationship("visits")?.storage else {
            throw CancellationError()
        }
        #expect([back.table, back.keyColumn, back.entityColumn] == ["ZVISIT", "ZGUEST", "Z1_GUEST"])
        #expect(store.layout["Staff"]?.relationship("visits")?.declaringEntity == "Person")
    }

    @Test("a to-many without inverse lies in its destination's table")
    func ownerKey() throws {
        var spec = EntityDescription(name: "Spec")
        spec.relationships = [RelationshipDescription(name: "parts", destination: "Ingredient", maxCount: 0)]
        let store = try store(ModelDescription(entities: [EntityDescription(name: "Ingredient"), spec]))
        guard case .toManyWithoutInverse(let key)? = store.layout["Spec"]?.relationship("parts")?.storage else {
            throw CancellationError()
        }
        #expect([key.table, key.keyColumn] == ["ZINGREDIENT", "Z2PARTS"])
        #expect(store.layout["Ingredient"]?.foreignKeysWithoutInverse["Spec.parts"] != nil)
    }

    @Test("a join table is found from both sides, whichever names it")
    func joins() throws {
        let store = try store(SampleModels.library)
        guard case .manyToMany(let tags)? = store.layout["Book"]?.relationship("tags")?.storage,
            case .manyToMany(let books)? = store.layout["Tag"]?.relationship("books")?.storage
        else { throw CancellationError() }
        #expect(tags.table == books.table)
        #expect([tags.ownColumn, tags.otherColumn] == [books.otherColumn, books.ownColumn])
    }

    @Test("two relationships with inverses of one name have join columns that differ")
    func joinClash() throws {
        var asset = EntityDescription(name: "Asset")
        asset.relationships = ["albums", "stories"].map {
            RelationshipDescription(
                name: $0, destination: $0 == "albums" ? "Book" : "Story", inverse: "keys", maxCount: 0)
        }
        let others = [("Book", "albums"), ("Story", "stories")].map { name, inverse in
            var entity = EntityDescription(name: name)
            entity.relationships = [
                RelationshipDescription(name: "keys", destination: "Asset", inverse: inverse, maxCount: 0)
            ]
            return entity
        }
        let store = try store(ModelDescription(entities: [asset] + others))
        guard case .manyToMany(let albums)? = store.layout["Asset"]?.relationship("albums")?.storage,
            case .manyToMany(let stories)? = store.layout["Asset"]?.relationship("stories")?.storage
        else { throw CancellationError() }
        #expect([albums.table, albums.ownColumn, albums.otherColumn] == ["Z_1ALBUMS", "Z_1KEYS", "Z_2ALBUMS"])
        #expect([stories.table, stories.ownColumn, stories.otherColumn] == ["Z_1STORIES", "Z_1KEYS1", "Z_3STORIES"])
    }

    @Test("an entity that a migration renamed is found under its old name in the catalogue")
    func renamed() throws {
        var luxury = EntityDescription(name: "LuxuryCar", superentityName: "Car")
        luxury.renamingIdentifier = "ExpensiveCar"
        let store = try store(ModelDescription(entities: [EntityDescription(name: "Car"), luxury])) {
            try $0.execute("UPDATE Z_PRIMARYKEY SET Z_NAME = 'ExpensiveCar' WHERE Z_NAME = 'LuxuryCar'")
            _ = try $0.checkpoint(.truncate)
        }
        #expect(store.layout["LuxuryCar"]?.number == 2)
        #expect(store.catalogue.missing == [])
        #expect(try StoreVerifier.verify(StoreConnector.offlineReader(store.path), store: store) == [])
    }

    @Test("a column that the file lacks reads as nothing, and the verifier says so")
    func missingColumn() throws {
        let sample = try SampleStore()
        try sample.connection.execute("ALTER TABLE ZBOOK DROP COLUMN ZTITLE")
        let store = try sample.store.reread(sample.connection)
        #expect(try store.layout.entity("Book").attribute("title")?.leaf?.column == nil)
        let found = try StoreVerifier.verify(sample.connection, store: store)
        #expect(found.map { [$0.rule, $0.place] } == [["column-missing", "ZBOOK Book.title"]])
    }

    @Test("an unknown entity is named with the nearest one")
    func nearest() throws {
        let store = try store(SampleModels.library)
        let error = expectStoreError(.unknownEntity) { _ = try store.layout.entity("Bok") }
        #expect(error?.way == "did you mean Book?")
    }
}
