import Bridge
import Foundation
import StoreFormat
import TestKit
import Testing

/// Audits that must find nothing, after work that nobody wrote down by hand.
@Suite struct AuditWorkloadTests {
    @Test("after random saves by both stacks and handovers between them", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) throws {
        let sample = try BridgeSample()
        let workload = try RandomWorkload(seed: seed)
        let before = try sample.open()
        try workload.run(before, saves: 30)
        before.close()
        // A second adoption, so that its backup has objects.
        _ = try Release.release(sample.path, keepsHistory: true)
        let bridge = try sample.open { $0.seed = OwnershipSeed(entities: ["Book": .model, "Tag": .model]) }
        for round in 0..<6 {
            try workload.run(bridge, saves: 30)
            let entity = ["Tag", "Book", "Shelf", "Author", "Tag", "Book"][round]
            _ = try bridge.handover(entity, to: try bridge.unit(of: entity).owner.other)
        }
        try workload.run(bridge, saves: 30)
        bridge.close()
        #expect(workload.saved > 100)
        let report = try Audit.run(Store.open(sample.path))
        #expect(report.violations == [])
        #expect(report.transactions > 50 && report.rows > 30 && report.notes == [])
        #expect(try sample.violations() == [])
    }

    @Test(
        "real stores, adopted, written by both stacks",
        .enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.message)),
        arguments: Corpus.names)
    func corpus(name: String) throws {
        let folder = try TemporaryFolder()
        let path = try Corpus.copy(name, to: folder)
        // Those that cannot be read are another test's.
        guard let bridge = try? StoreBridge(path: path) else { return }
        var written = 0
        for stack in StackName.allCases {
            for entity in bridge.store.layout.entities {
                guard let (object, name) = Self.firstText(entity, bridge) else { continue }
                if try bridge.unit(of: entity.name).owner != stack { _ = try bridge.handover(entity.name, to: stack) }
                // What the model forbids is left.
                let text = AttributeValue.string("by \(stack)")
                if (try? bridge.instance(stack).update(object, [name: text])) != nil { written += 1 }
            }
        }
        bridge.close()
        let report = try Audit.run(Store.open(path))
        #expect(report.violations == [], "\(written) objects written")
        #expect(report.transactions >= written)
    }

    /// The entity's first object, and an attribute of it that holds text.
    private static func firstText(_ entity: EntityLayout, _ bridge: StoreBridge) -> (ObjectReference, String)? {
        guard !entity.isAbstract,
            let attribute = entity.attributes.first(where: { $0.leaf?.type == .string && !$0.description.isDerived })
        else { return nil }
        var first: ObjectReference?
        try? bridge.legacy.forEachObject(of: entity.name, after: .min, through: .max) { record in
            first = record.reference
            return false
        }
        return first.map { ($0, attribute.name) }
    }
}

/// Saves of all kinds by whoever owns what they are about, the same ones for the same seed.
private final class RandomWorkload {
    private var random: SplitMix
    private var objects: [String: [ObjectReference]] = [:]
    private var names = 0
    private(set) var saved = 0

    init(seed: UInt64) throws { random = SplitMix(seed: seed) }

    func run(_ bridge: StoreBridge, saves: Int) throws {
        for _ in 0..<saves {
            let entity = ["Tag", "Book", "Shelf", "Author", "Member", "Card"].randomElement(using: &random) ?? "Tag"
            let operation = operation(entity)
            let owner = try bridge.unit(of: entity).owner
            try bridge.replay()
            do {
                let result = try bridge.instance(owner).save(ObjectBatch([operation]))
                saved += 1
                if let new = result.objects["new"] { objects[entity, default: []].append(new) }
            } catch let error as StoreError {
                // A rule of the model, or the other owner's rows: nothing is written then.
                let expected: Set<StoreError.Code> = [
                    .ownershipViolation, .crossStackDelete, .deleteDenied, .validationFailed, .unknownObject,
                    .versionConflict,
                ]
                if !expected.contains(error.code) { throw error }
            }
        }
    }

    private func operation(_ entity: String) -> ObjectBatch.Operation {
        let known = objects[entity] ?? []
        guard let object = known.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 3 else {
            return .insert(entity: entity, name: "new", values: values(entity))
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
            objects[entity]?.removeAll { $0 == object }
            return .delete(object, expecting: nil)
        }
        return .update(object, values: values(entity), expecting: nil)
    }

    private func values(_ entity: String) -> [String: ObjectBatch.Input] {
        names += 1
        let text = ObjectBatch.Input.attribute(.string("\(entity) \(names)"))
        func one(_ entity: String) -> ObjectBatch.Input {
            .toOne(objects[entity]?.randomElement(using: &random).map { .existing($0) })
        }
        func many(_ entity: String) -> ObjectBatch.Input {
            .toMany((objects[entity] ?? []).shuffled(using: &random).prefix(3).map { .existing($0) })
        }
        let isRelated = Bool.random(using: &random)
        switch entity {
        case "Tag": return isRelated ? ["name": text, "books": many("Book")] : ["name": text]
        case "Book":
            return isRelated
                ? ["title": text, "shelf": one("Shelf"), "author": one("Author"), "tags": many("Tag")]
                : ["title": text, "pages": .attribute(.integer(Int64.random(in: 0..<900, using: &random)))]
        case "Shelf": return isRelated ? ["label": text, "books": many("Book")] : ["label": text]
        case "Author": return isRelated ? ["penName": text, "books": many("Book")] : ["name": text]
        case "Member": return isRelated ? ["name": text, "card": one("Card")] : ["name": text]
        default:
            let number = ObjectBatch.Input.attribute(.integer(Int64.random(in: 0..<900, using: &random)))
            return isRelated ? ["number": number, "member": one("Member")] : ["number": number]
        }
    }
}
