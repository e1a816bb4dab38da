import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit

/// A store with one of everything that the format has a rule about, adopted, made by the writer.
///
/// Entity numbers: Frame 1, Lamp 2, Person 3, Artist 4, Guide 5, Room 6, Tag 7, Work 8. Changes in history: the inserts of
/// Artist 1, Guide 2, Room 1, Tag 1, Tag 2, Work 1, Work 2, Work 3, Frame 1, Lamp 1, Lamp 2 are 1 to 11, an update of
/// Work 1 is 12, the insert and the deletion of Tag 3 are 13 and 14: transactions 1 to 4.
enum Museum {
    static let model: ModelDescription = {
        var person = EntityDescription(name: "Person")
        person.isAbstract = true
        person.attributes = [attribute("name", .string)]
        person.relationships = [many("works", "Work", "maker")]
        var artist = EntityDescription(name: "Artist", superentityName: "Person")
        artist.attributes = [attribute("style", .string)]
        var guide = EntityDescription(name: "Guide", superentityName: "Person")
        guide.relationships = [many("rooms", "Room", "guide")]
        var frame = EntityDescription(name: "Frame")
        frame.attributes = [attribute("scale", .float)]
        frame.relationships = [
            RelationshipDescription(name: "work", destination: "Work", inverse: "frame", isOptional: false)
        ]
        var lamp = EntityDescription(name: "Lamp")
        var watts = attribute("watts", .integer16)
        watts.validations = ["SELF >= 1", "SELF <= 5000"].map { .init(predicateFormat: $0) }
        var label = attribute("label", .string)
        label.validations = ["length >= 2", "length <= 8", "SELF MATCHES \"[A-Z]+[0-9]*\""].map {
            .init(predicateFormat: $0)
        }
        lamp.attributes = [watts, label]
        var tag = EntityDescription(name: "Tag")
        var name = attribute("name", .string)
        name.preservesValueInHistoryOnDeletion = true
        tag.attributes = [name]
        tag.uniquenessConstraints = [["name"]]
        tag.relationships = [many("works", "Work", "tags")]
        return ModelDescription(entities: [person, artist, guide, frame, lamp, room, tag, work])
    }()

    private static let room: EntityDescription = {
        var room = EntityDescription(name: "Room")
        var count = attribute("worksCount", .integer32)
        count.derivation = DerivationExpression(hashDescription: "count:(works)", format: "works.@count")
        room.attributes = [AttributeDescription(name: "name", type: .string), count]
        var works = many("works", "Work", "room")
        works.isOrdered = true
        room.relationships = [
            works, many("lamps", "Lamp", nil),
            RelationshipDescription(name: "guide", destination: "Guide", inverse: "rooms"),
        ]
        return room
    }()

    private static let work: EntityDescription = {
        var work = EntityDescription(name: "Work")
        var image = attribute("image", .binaryData)
        image.allowsExternalBinaryDataStorage = true
        var makerName = attribute("makerName", .string)
        makerName.derivation = DerivationExpression(hashDescription: "maker.name", format: "maker.name")
        var size = attribute("size", .composite)
        size.elements = [attribute("height", .integer16), attribute("unit", .string)]
        work.attributes = [
            attribute("title", .string), attribute("year", .integer16), attribute("weight", .integer32),
            attribute("isLoaned", .boolean), attribute("acquired", .date), attribute("value", .decimal),
            attribute("number", .uuid), attribute("notes", .transformable), attribute("link", .uri),
            attribute("latitude", .double), attribute("longitude", .double), image, makerName, size,
        ]
        var tags = many("tags", "Tag", "works")
        tags.isOrdered = true
        work.relationships = [
            RelationshipDescription(name: "maker", destination: "Person", inverse: "works"),
            RelationshipDescription(name: "room", destination: "Room", inverse: "works"),
            RelationshipDescription(name: "frame", destination: "Frame", inverse: "work", deleteRule: .cascade),
            tags, many("related", "Work", "related"),
        ]
        work.fetchIndexes = [
            FetchIndexDescription(name: "byTitle", elements: [.init(property: "title")]),
            FetchIndexDescription(
                name: "byPlace", elements: ["latitude", "longitude"].map { .init(property: $0, kind: .rTree) }),
        ]
        return work
    }()

    private static func attribute(_ name: String, _ type: AttributeType) -> AttributeDescription {
        AttributeDescription(name: name, type: type, isOptional: true)
    }

    private static func many(_ name: String, _ destination: String, _ inverse: String?) -> RelationshipDescription {
        RelationshipDescription(name: name, destination: destination, inverse: inverse, maxCount: 0)
    }

    /// What the verifier finds in a store that nobody has open.
    static func findings(_ path: String, _ model: ModelDescription? = nil) throws -> [Violation] {
        let store = try Store.open(path, model: model)
        return try StoreVerifier.verify(try StoreConnector.offlineReader(path), store: store)
    }

    /// Fills a new store.
    static func make() throws -> SampleStore {
        let sample = try SampleStore(model)
        try sample.adopt()
        let authority = try sample.authority()
        try sample.save(authority) { try fill($0) }
        let work = try sample.entity("Work")
        try sample.save(authority) {
            let leaf = work.attribute("title")?.leaf?.column ?? 0
            _ = try $0.update(work, key: 1, expecting: 1, columns: [(leaf, .text("Dawn"))], changed: ["title"])
        }
        let tag = try sample.entity("Tag")
        try sample.insert("Tag", ["name": .string("gone")], authority)
        try sample.save(authority) { _ = try $0.delete(tag, key: 3, expecting: nil) }
        return sample
    }

    private static func fill(_ save: SaveTransaction) throws {
        func insert(_ name: String, _ values: [String: AttributeValue] = [:], _ keys: [String: Int64] = [:]) throws {
            try SampleStore.insert(name, values, keys: keys, in: save)
        }
        try insert("Artist", ["name": .string("Ada")])
        try insert("Guide", ["name": .string("Gil")])
        try insert("Room", ["name": .string("East")], ["guide": 2])
        for name in ["oil", "old"] { try insert("Tag", ["name": .string(name)]) }
        for i in 1...2 {
            let place = Double(i) * 10.5
            try insert(
                "Work",
                [
                    "title": .string("W\(i)"), "number": .uuid(UUID()), "latitude": .double(place),
                    "longitude": .double(-place), "image": .data(Data([1, 2])),
                ], ["maker": 1, "room": 1, "frame": 1].filter { $0.key != "frame" || i == 1 })
        }
        try insert("Work", ["image": .data(ExternalDataTests.large)])
        try insert("Frame", [:], ["work": 1])
        for watts in [40, 60] { try insert("Lamp", ["watts": .integer(Int64(watts))]) }
        try save.connection.execute(
            """
            UPDATE ZWORK SET Z3_MAKER = 4, Z_FOK_ROOM = 1024 + 1024 * Z_PK, ZHEIGHT = 3, ZUNIT = 'cm' WHERE Z_PK < 3;
            UPDATE ZLAMP SET Z6LAMPS = 1 WHERE Z_PK = 1
            """)
        guard case .manyToMany(let tags)? = try save.store.layout.entity("Work").relationship("tags")?.storage,
            case .manyToMany(let related)? = try save.store.layout.entity("Work").relationship("related")?.storage
        else { throw CancellationError() }
        for tag in 1...2 { try save.insertJoin(tags, own: 1, other: Int64(tag), order: 1024 + 1024 * Int64(tag)) }
        try save.insertJoin(related, own: 1, other: 2)
    }

    /// One sound store, made once; each test copies it.
    private static let template: Result<(folder: TemporaryFolder, path: String), any Error> = Result {
        let sample = try make()
        _ = try sample.connection.checkpoint(.truncate)
        return (sample.folder, sample.path)
    }

    /// A copy in a folder, with its external data.
    static func copy(to folder: TemporaryFolder) throws -> String {
        let made = try template.get()
        for name in try FileManager.default.contentsOfDirectory(atPath: made.folder.path)
        where !name.hasSuffix("-wal") && !name.hasSuffix("-shm") {
            try FileManager.default.copyItem(atPath: made.folder.file(name), toPath: folder.file(name))
        }
        return folder.file("library.sqlite")
    }

    /// Plain SQL, as another program would run it: no trigger of the store runs.
    static func plant(_ sql: String, in path: String) throws {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.setMainTriggersEnabled(false)
        try connection.execute(sql)
    }
}
