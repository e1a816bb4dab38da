import Foundation
import KeyedArchive
import Testing

@testable import StoreModel

@Suite(.enabled(if: Corpus.stores != nil, "COEXIST_CORPUS is not set"))
struct CorpusStoreTests {
    /// History entities have hashes in the metadata of the oldest stores, but are in no cache.
    private static let historyEntities: Set<String> = ["CHANGE", "TRANSACTION", "TRANSACTIONSTRING"]

    @Test func everyStoresHashesFollowFromItsCache() throws {
        var checked = 0
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            guard let cache = store.cache, !store.hashes.isEmpty else { continue }
            let model: ModelDescription
            do {
                model = try ModelCache.decode(cache)
            } catch .damagedCache {
                #expect(store.name.contains("DataUsage"), "\(store.name)'s cache is whole")
                continue
            }
            let computed = try model.versionHashes()
            let stored = store.hashes
            for (name, hash) in stored where !Self.historyEntities.contains(name) {
                #expect(computed[name] == hash, "\(store.name) \(name)")
            }
            if let digest = store.metadata?["NSStoreModelVersionHashesDigest"]?.string {
                #expect(VersionHashes.hashesDigest(stored) == digest, "\(store.name)")
                #expect(VersionHashes.hashesDigest(computed) == digest, "\(store.name)")
            }
            if let checksum = store.metadata?["NSStoreModelVersionChecksumKey"]?.string {
                #expect(VersionHashes.modelChecksum(computed) == checksum, "\(store.name)")
            }
            checked += 1
        }
        #expect(checked > 20)
    }

    @Test func everyCacheSurvivesBeingWrittenAndRead() throws {
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            guard let cache = store.cache, let model = try? ModelCache.decode(cache) else { continue }
            let written = try ModelCache.encode(model)
            let read = try ModelCache.decode(written)
            #expect(read == model, "\(store.name)")
            #expect(try read.versionHashes() == model.versionHashes(), "\(store.name)")
        }
    }

    @Test func aStoresModelFolderHoldsTheVersionItWasMadeWith() throws {
        var matched = 0
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            let folder = file.deletingLastPathComponent().appendingPathComponent("model")
            let models = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for model in models where ["xcdatamodeld", "xcdatamodel", "momd"].contains((model as NSString).pathExtension) {
                let path = folder.appendingPathComponent(model).path
                do {
                    if let loaded = try ModelReader.read(at: path, matching: store.hashes) {
                        matched += 1
                        #expect(try loaded.model.versionHashes() == store.hashes)
                        if let cache = store.cache {
                            let differences = ModelDifference.between(try ModelCache.decode(cache), loaded.model)
                            #expect(
                                differences.allSatisfy { $0.kind == .sameHash }, "\(store.name): \(differences)")
                        }
                    }
                } catch ModelError.binaryModelSource {
                    #expect(store.name.contains("Recipes"))
                }
            }
        }
        #expect(matched >= 5)
    }
}
