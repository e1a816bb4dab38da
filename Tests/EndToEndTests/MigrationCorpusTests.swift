import Foundation
import StoreFormat
import TestKit
import Testing
import Varlink

/// Real stores, migrated to what their authors made the next version of the model.
@Suite(.enabled(if: Corpus.folder != nil, Comment(rawValue: Corpus.message)))
struct MigrationCorpusTests {
    /// Two versions of a store's model, and what their migration renames and loses, as the two models say it.
    struct Pair: Sendable, CustomTestStringConvertible {
        let from: String
        let to: String
        /// Properties and entities that keep their values under another name.
        var renamed: [String: String] = [:]
        /// What is no longer there, and has values.
        var lost: [String] = []
        /// What is no longer there, or is a relationship's other form.
        var gone: Set<String> = []

        var testDescription: String { "\(from) to \(to)" }
    }

    static let pairs = [
        // A custom mapping of the author's splits `content` into sections and computes `hexColor`: without it both values
        // go, which has to be allowed.
        Pair(
            from: "41_wibosco_Example_1", to: "41_wibosco_Example_3", lost: ["Post.color", "Post.content"],
            gone: ["color", "content"]),
        Pair(
            from: "42_duckduckgo_Bookmarks_V1", to: "42_duckduckgo_Bookmarks_V3", lost: ["BookmarkEntity.isFavorite"],
            gone: ["isFavorite"]),
        Pair(from: "42_duckduckgo_Bookmarks_V3", to: "42_duckduckgo_Bookmarks_V5", gone: ["favoriteFolder"]),
        Pair(
            from: "17_CoreDataPlus_SampleModel_V1", to: "18_CoreDataPlus_SampleModel_V2",
            renamed: ["ExpensiveSportCar": "LuxuryCar"], lost: ["Person.id"], gone: ["color", "id"]),
        Pair(from: "32_SwiftData_FreezeRay_1.0.0", to: "33_SwiftData_FreezeRay_2.0.0"),
        Pair(from: "37_objcio_Moody", to: "37_objcio_Moody_3", renamed: ["remoteIdentifier": "remoteID"]),
    ]

    @Test(arguments: pairs)
    func aRealStoreBecomesItsNextVersion(pair: Pair) throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let store = try Corpus.copy(pair.from, to: folder)
        let target = try Corpus.copy(pair.to, to: other)
        let before = try dump(store)
        let image = try FileImage.of(folder.path)
        let plan = try JSON(
            parsing: Programs.ctl("migrate", store, "--to", target, "--dry-run", "--json").output)
        let refused = (plan["refusals"]?.arrayValue ?? []).map { refusal in
            "\(refusal["entity"]?.stringValue ?? "").\(refusal["property"]?.stringValue ?? "")"
        }
        #expect(Set(refused) == Set(pair.lost))
        #expect(try FileImage.of(folder.path) == image)
        if !pair.lost.isEmpty { #expect(try Programs.ctl("migrate", store, "--to", target).exitCode == 1) }
        #expect(try FileImage.of(folder.path) == image)

        let result = try Programs.ctl("migrate", store, "--to", target, "--allow-data-loss")
        #expect(result.exitCode == 0, "\(result.errors)")
        let (mine, theirs) = (try StoreMetadata.read(path: store), try StoreMetadata.read(path: target))
        #expect(mine.versionHashes == theirs.versionHashes)
        #expect(mine.digest == theirs.digest || theirs.digest == nil)
        #expect(mine.checksum == theirs.checksum || theirs.checksum == nil)
        #expect(try Programs.ctl("verify", store).output == "0 violations\n")
        if let check = try independentCheck(store) { #expect(check == "0 violations\n") }

        let after = try dump(store)
        #expect(after.count == before.count)
        for (old, new) in zip(before, after) {
            let entity = old["entity"]?.stringValue ?? ""
            #expect(new["entity"]?.stringValue == pair.renamed[entity] ?? entity)
            #expect(new["pk"] == old["pk"] && new["version"] == old["version"])
            for kind in ["values", "relationships"] {
                for (name, value) in old[kind]?.objectValue?.map({ ($0.key, $0.value) }) ?? []
                where !pair.gone.contains(name) {
                    let text = pair.renamed.reduce("\(value)") { text, names in
                        text.replacingOccurrences(of: "/\(names.key)/", with: "/\(names.value)/")
                    }
                    #expect(new[kind]?[pair.renamed[name] ?? name].map { "\($0)" } == text, "\(entity).\(name)")
                }
            }
        }
    }

    /// A to-one of this store becomes a many-to-many: each object is still in the folder that it was in.
    @Test func aToOneOfARealStoreBecomesToMany() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        let store = try Corpus.copy("42_duckduckgo_Bookmarks_V3", to: folder)
        let target = try Corpus.copy("42_duckduckgo_Bookmarks_V5", to: other)
        let before = try dump(store).map { $0["relationships"]?["favoriteFolder"].map { "\($0)" } ?? "" }
        #expect(try Programs.ctl("migrate", store, "--to", target).exitCode == 0)
        let after = try dump(store).map { $0["relationships"]?["favoriteFolders"].map { "\($0)" } ?? "" }
        #expect(after == before.map { $0 == "null" ? "[]" : "[\($0)]" })
        #expect(before.contains { $0 != "null" })
    }

    private func dump(_ store: String) throws -> [JSON] {
        let legacy = try Programs.ctl("dump", store)
        let model = try Programs.ctl("dump", store, "--stack", "model")
        #expect(legacy.exitCode == 0 && legacy.output == model.output, "\(legacy.errors)")
        return try legacy.lines.map { try JSON(parsing: $0) }
    }
}
