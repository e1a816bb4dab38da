import Bridge
import Foundation
import SQLite
import StoreFormat
import StoreModel
import TestKit

/// A store whose delete rules cross between the stacks: `Album`, `Note` and `Shelf` are the deleting stack's, the rest the
/// other's.
///
///     Album ─cascade→ Track ─cascade→ Note ─cascade→ Mark ─cascade→ Album (`home`)
///     Album ─nullify→ Review, Album ↔ Genre, Track ─deny→ Award, Track → Shelf (nullify), Player and Shelf → Album without inverse
struct Discography {
    let folder: TemporaryFolder
    let path: String
    /// The stack that deletes.
    let stack: StackName

    init(deleting stack: StackName) throws {
        self.stack = stack
        folder = try TemporaryFolder()
        path = folder.file("s.sqlite")
        try StoreCreator.create(path, model: Self.model)
    }

    static let model: ModelDescription = {
        func entity(_ name: String, _ relationships: [RelationshipDescription]) -> EntityDescription {
            var entity = EntityDescription(name: name)
            entity.attributes = [AttributeDescription(name: "name", type: .string, isOptional: true)]
            entity.relationships = relationships
            return entity
        }
        func one(_ name: String, _ destination: String, _ inverse: String?, _ rule: DeleteRule = .nullify)
            -> RelationshipDescription
        {
            RelationshipDescription(name: name, destination: destination, inverse: inverse, deleteRule: rule)
        }
        func many(_ name: String, _ destination: String, _ inverse: String, _ rule: DeleteRule = .nullify)
            -> RelationshipDescription
        {
            RelationshipDescription(
                name: name, destination: destination, inverse: inverse, maxCount: 0, deleteRule: rule)
        }
        return ModelDescription(entities: [
            entity(
                "Album",
                [
                    many("tracks", "Track", "album", .cascade), many("reviews", "Review", "album"),
                    many("genres", "Genre", "albums"), many("marks", "Mark", "home"),
                ]),
            entity(
                "Track",
                [
                    one("album", "Album", "tracks"), many("notes", "Note", "track", .cascade),
                    many("awards", "Award", "track", .deny), one("shelf", "Shelf", "tracks"),
                ]),
            entity("Note", [one("track", "Track", "notes"), many("marks", "Mark", "note", .cascade)]),
            entity("Mark", [one("note", "Note", "marks"), one("home", "Album", "marks", .cascade)]),
            entity("Review", [one("album", "Album", "reviews")]),
            entity("Genre", [many("albums", "Album", "genres")]),
            entity("Award", [one("track", "Track", "awards")]),
            entity("Shelf", [many("tracks", "Track", "shelf"), one("best", "Album", nil)]),
            entity("Player", [one("last", "Album", nil)]),
        ])
    }()

    func open(forwards: Bool = true, _ change: (inout BridgeOptions) -> Void = { _ in }) throws -> StoreBridge {
        var options = BridgeOptions()
        options.seed = OwnershipSeed(
            defaultOwner: stack.other, entities: ["Album": stack, "Note": stack, "Shelf": stack])
        options.forwardsDeletes = forwards
        change(&options)
        return try StoreBridge(path: path, options: options)
    }

    /// Inserts an object through its owner.
    func make(
        _ bridge: StoreBridge, _ entity: String, _ links: [String: ObjectReference] = [:]
    ) throws -> ObjectReference {
        let owner = try bridge.unit(of: entity).owner
        var values = links.mapValues { ObjectBatch.Input.toOne(.existing($0)) }
        values["name"] = .attribute(.string(entity))
        let result = try bridge.instance(owner).save(
            ObjectBatch([.insert(entity: entity, name: "new", values: values)]))
        guard let made = result.objects["new"] else { throw CocoaError(.coderValueNotFound) }
        return made
    }

    func rows(_ sql: String) throws -> [[SQLValue]] { try Connection(path: path, mode: .readOnly).query(sql) }

    func count(_ entity: String) throws -> Int64 {
        try rows("SELECT count(*) FROM Z\(entity.uppercased())")[0][0].integerValue ?? -1
    }

    /// The last two transactions' stacks, instances, epochs and causes.
    func record(_ last: Int = 2) throws -> [[SQLValue]] {
        try rows(
            """
            SELECT NUMBER, STACK, INSTANCE, EPOCHS, CAUSE FROM
            (SELECT * FROM COEXIST_TRANSACTION ORDER BY NUMBER DESC LIMIT \(last)) ORDER BY NUMBER
            """)
    }

    /// What verify and audit find.
    func faults() throws -> [String] {
        let store = try Store.open(path)
        let connection = try StoreConnector.connect(path, .reader)
        let rules = try StoreVerifier.verify(connection, store: store).filter { $0.severity == .error }.map { "\($0)" }
        return try rules + Audit.run(store).violations.map { "\($0)" }
    }
}
