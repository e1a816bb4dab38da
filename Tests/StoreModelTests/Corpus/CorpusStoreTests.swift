import Foundation
import KeyedArchive
import Testing

@testable import StoreModel

@Suite(.enabled(if: Corpus.stores != nil, "COEXIST_CORPUS is not set"))
struct CorpusStoreTests {
    /// The store's model; nil where it has no cache, and for the one whose cache is known to be cut.
    private func decode(_ store: CorpusStore) throws -> ModelDescription? {
        guard let cache = store.cache else { return nil }
        guard !store.name.contains("DataUsage") else {
            #expect(throws: ModelError.self) { try ModelCache.decode(cache) }
            return nil
        }
        return try ModelCache.decode(cache)
    }

    @Test func everyStoresHashesFollowFromItsCache() throws {
        var checked = 0
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            guard !store.hashes.isEmpty, let model = try decode(store) else { continue }
            let computed = try model.versionHashes()
            let stored = store.hashes
            #expect(computed == VersionHashes.ofModel(stored), "\(store.name)")
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

    /// The keys of real caches are all known: nothing of them is left over.
    @Test func nothingInACacheIsLeftUnread() throws {
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            guard let model = try decode(store) else { continue }
            #expect(model.unreadParts.isEmpty, "\(store.name): \(model.unreadParts)")
            #expect(!model.warnings().contains { $0.code == .redeclared }, "\(store.name)")
        }
    }

    @Test func everyCompiledVersionHasTheListedHashes() throws {
        var checked = 0
        for file in try Corpus.storeFiles() {
            let folder = file.deletingLastPathComponent().appendingPathComponent("model")
            let models = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for model in models where (model as NSString).pathExtension == "momd" {
                let path = folder.appendingPathComponent(model).path
                let info = try #require(try ModelReader.versionInfo(at: path))
                for version in try ModelReader.versions(at: path) {
                    let read = try version.load()
                    #expect(try read.versionHashes() == info.hashes[version.name], "\(model) \(version.name)")
                    #expect(try info.checksums[version.name].map { $0 == (try read.versionChecksum()) } ?? true)
                    #expect(read.unreadParts.isEmpty)
                    checked += 1
                }
            }
        }
        #expect(checked >= 3)
    }

    @Test func everyCacheSurvivesBeingWrittenAndRead() throws {
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            guard let model = try decode(store) else { continue }
            let written = try ModelCache.encode(model)
            let read = try ModelCache.decode(written)
            #expect(read == model, "\(store.name)")
            #expect(try read.versionHashes() == model.versionHashes(), "\(store.name)")
        }
    }

    /// Prints the classes of which two archives do not have the same keys: those that some object has, and those that all
    /// have. Left out are the classes of plain values, which come in several forms that mean the same, and proxies, which
    /// some frameworks write in place of a copy.
    private static let keyDifference = """
        import plistlib, sys
        def keys(path):
            objects, found = plistlib.load(open(path, 'rb'))['$objects'], {}
            for o in objects:
                if not isinstance(o, dict) or '$class' not in o: continue
                some, every = found.setdefault(objects[o['$class'].data]['$classname'], (set(), set(o)))
                some |= set(o); every &= set(o)
            return found
        a, b = keys(sys.argv[1]), keys(sys.argv[2])
        plain = {'NSMutableString', 'NSSet', 'NSMutableSet', 'NSArray', 'NSMutableArray', 'NSDictionary',
                 'NSMutableDictionary', '_NSPropertyDescriptionProxy'}
        for name in sorted((set(a) | set(b)) - plain):
            if a.get(name) != b.get(name): print(name, a.get(name), b.get(name))
        print('done')
        """

    @Test func aCacheThatIsWrittenHasTheKeysOfTheNewestFrameworks() throws {
        var checked = 0
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            // Older compilers left empty lists of indexes behind, and others no lists at all.
            guard let framework = store.metadata?["NSPersistenceFrameworkVersion"]?.integer, framework > 1044,
                let cache = store.cache, let model = try decode(store)
            else { continue }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coexist-keys-\(UUID())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let (real, ours) = (folder.appendingPathComponent("real"), folder.appendingPathComponent("ours"))
            try RawDeflate.inflate(cache, maximumSize: 16 << 20).write(to: real)
            try ModelCache.archive(model).write(to: ours)
            let output = try Corpus.output("python3", ["-c", Self.keyDifference, real.path, ours.path])
            #expect(output == "done\n", "\(store.name)")
            checked += 1
        }
        #expect(checked > 8)
    }

    @Test func aStoresModelFolderHoldsTheVersionItWasMadeWith() throws {
        var matched = 0
        for file in try Corpus.storeFiles() {
            let store = try CorpusStore(file)
            let folder = file.deletingLastPathComponent().appendingPathComponent("model")
            let models = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for model in models
            where ["xcdatamodeld", "xcdatamodel", "momd"].contains((model as NSString).pathExtension) {
                let path = folder.appendingPathComponent(model).path
                guard let loaded = try? ModelReader.read(at: path, matching: store.hashes) else { continue }
                matched += 1
                #expect(try loaded.model.versionHashes() == store.hashes)
                guard let cached = try decode(store) else { continue }
                let differences = ModelDifference.changingHashes(cached, loaded.model)
                #expect(differences.isEmpty, "\(store.name): \(differences)")
            }
        }
        #expect(matched >= 5)
    }

    @Test func aModelInXcodesBinaryFormIsRefusedAsSuch() throws {
        let store = try #require(try Corpus.storeFiles().first { $0.path.contains("MagicalRecord_Recipes") })
        let path = store.deletingLastPathComponent().appendingPathComponent("model/Recipes.xcdatamodeld").path
        let error = #expect(throws: ModelError.self) { try ModelReader.read(at: path) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("Xcode 3"))
    }
}
