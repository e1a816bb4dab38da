import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What a comparison of two models says of a migration is what the migration does.
struct DifferenceAgreementTests {
    /// Makes an empty store of `a`, and migrates it to `b`: it goes through exactly if no difference needs a custom stage.
    /// Nothing is in the store that could be lost, or be equal where it must not.
    static func check(_ a: ModelDescription, _ b: ModelDescription, _ what: String) throws {
        let sample = try MigrationSample(a)
        let differences = ModelDifference.changingHashes(a, b)
        let needsStage = differences.contains { $0.kind == .needsCustomStage }
        do {
            let report = try sample.migrate(to: b)
            #expect(!needsStage, "\(what) is migrated: \(differences)")
            #expect(report.plan.isNeeded == !differences.isEmpty, "\(what): \(differences)")
            #expect(try Store.open(sample.path).metadata.versionHashes == b.versionHashes(), "\(what)")
        } catch let error as MigrationRefused {
            #expect(needsStage, "\(what) is refused: \(error.plan.refusals)")
        }
    }

    /// Changes that a migration may meet, one after the other on a model that changes with them; the seeds are fixed.
    @Test(arguments: 0..<12)
    func randomChangesOfAModel(_ seed: Int) throws {
        var random = Generator(seed: UInt64(seed))
        var model = SampleModels.library
        for step in 0..<5 {
            var changed = model
            for _ in 0..<Int.random(in: 1...3, using: &random) { Self.change(&changed, &random) }
            guard (try? changed.versionHashes()) != nil else { continue }
            try Self.check(model, changed, "seed \(seed), step \(step)")
            model = changed
        }
    }

    private static func change(_ model: inout ModelDescription, _ random: inout Generator) {
        let place = Int.random(in: model.entities.indices, using: &random)
        let name = model.entities[place].name
        let number = Int.random(in: 0..<1_000, using: &random)
        let attributes = model.entities[place].attributes.indices
        let relationships = model.entities[place].relationships.indices
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            var added = AttributeDescription(
                name: "new\(number)", type: .string, isOptional: Bool.random(using: &random))
            if Bool.random(using: &random) { added.defaultValue = .string("x") }
            model.entities[place].attributes.append(added)
        case 1:
            guard let attribute = attributes.randomElement(using: &random) else { return }
            let removed = model.entities[place].attributes.remove(at: attribute).name
            model.entities[place].uniquenessConstraints.removeAll { $0.contains(removed) }
        case 2:
            guard let attribute = attributes.randomElement(using: &random) else { return }
            model.entities[place].attributes[attribute].isOptional.toggle()
        case 3:
            guard let attribute = attributes.randomElement(using: &random) else { return }
            model.entities[place].attributes[attribute].type =
                [.string, .integer64, .date].randomElement(using: &random) ?? .string
            model.entities[place].attributes[attribute].defaultValue = nil
            model.entities[place].attributes[attribute].allowsExternalBinaryDataStorage = false
        case 4:
            guard let attribute = attributes.randomElement(using: &random) else { return }
            let old = model.entities[place].attributes[attribute].name
            model.entities[place].attributes[attribute].renamingIdentifier = old
            model.entities[place].attributes[attribute].name = "renamed\(number)"
            model.entities[place].uniquenessConstraints.removeAll { $0.contains(old) }
        case 5:
            // What is declared moves to the parent.
            guard let parent = model.entities[place].superentityName, !attributes.isEmpty,
                let target = model.entities.firstIndex(where: { $0.name == parent })
            else { return }
            model.entities[target].attributes.append(model.entities[place].attributes.removeFirst())
        case 6: model.entities.append(EntityDescription(name: "Entity\(number)"))
        case 7:
            guard let parent = model.entities.randomElement(using: &random)?.name else { return }
            guard !model.tree(of: name).contains(where: { $0.name == parent }) else { return }
            model.entities[place].superentityName = Bool.random(using: &random) ? parent : nil
        case 8:
            guard let relationship = relationships.randomElement(using: &random) else { return }
            let current = model.entities[place].relationships[relationship].maxCount
            model.entities[place].relationships[relationship].maxCount = current == 1 ? 0 : 1
            model.entities[place].relationships[relationship].isOrdered = false
        case 9:
            guard let destination = model.entities.randomElement(using: &random)?.name else { return }
            model.entities[place].relationships.append(
                RelationshipDescription(
                    name: "link\(number)", destination: destination, isOptional: Bool.random(using: &random)))
        case 10:
            guard let attribute = attributes.randomElement(using: &random) else { return }
            model.entities[place].attributes[attribute].isTransient.toggle()
            let changed = model.entities[place].attributes[attribute].name
            model.entities[place].uniquenessConstraints.removeAll { $0.contains(changed) }
        default:
            guard let attribute = attributes.first else { return }
            model.entities[place].uniquenessConstraints = [[model.entities[place].attributes[attribute].name]]
        }
    }
}

/// A generator whose numbers follow from its seed.
private struct Generator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

/// The same of every pair of versions of the models that real stores come with.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.message)))
struct DifferenceAgreementCorpusTests {
    @Test func everyPairOfVersions() throws {
        let stores = try #require(Corpus.folder)
        var seen: Set<String> = []
        var checked = 0
        for store in try FileManager.default.contentsOfDirectory(atPath: stores).sorted() {
            let folder = "\(stores)/\(store)/model"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            for name in names.sorted() where name.hasSuffix(".xcdatamodeld") && seen.insert(name).inserted {
                let versions = try ModelReader.versions(at: "\(folder)/\(name)")
                let models = versions.compactMap { version in (try? version.load()).map { (version.name, $0) } }
                for (from, a) in models {
                    for (to, b) in models where from != to {
                        try DifferenceAgreementTests.check(a, b, "\(name) from \(from) to \(to)")
                        checked += 1
                    }
                }
            }
        }
        #expect(checked > 40)
    }
}
