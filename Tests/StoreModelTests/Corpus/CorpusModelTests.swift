import Foundation
import Testing

@testable import StoreModel

@Suite(.enabled(if: Corpus.models != nil && Corpus.tools != nil, "COEXIST_MODELS or COEXIST_TOOLS is not set"))
struct CorpusModelTests {
    @Test func everyModelsHashesAgreeWithTheReferenceTool() throws {
        let folder = try #require(Corpus.models)
        let tool = try #require(Corpus.tools).appendingPathComponent("version_hash.py").path
        var checked = 0
        for model in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where model.pathExtension == "xcdatamodel" {
            let hashes = try ModelReader.read(at: model.path).model.versionHashes()
            var lines = hashes.map { "\($0.key) \($0.value.base64EncodedString())" }.sorted {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
            lines.append("checksum \(VersionHashes.modelChecksum(hashes))")
            lines.append("digest \(VersionHashes.hashesDigest(hashes))")
            let expected = try Corpus.output("python3", [tool, model.appendingPathComponent("contents").path])
            #expect(Set(lines) == Set(expected.split(separator: "\n").map(String.init)), "\(model.lastPathComponent)")
            checked += 1
        }
        #expect(checked > 20)
    }

    @Test func everyModelCanBeWrittenAsACache() throws {
        let folder = try #require(Corpus.models)
        for path in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        where path.pathExtension == "xcdatamodel" {
            let model = try ModelReader.read(at: path.path).model
            let read = try ModelCache.decode(ModelCache.encode(model))
            #expect(try read.versionHashes() == model.versionHashes(), "\(path.lastPathComponent)")
            let differences = ModelDifference.between(model, read)
            #expect(differences.isEmpty, "\(path.lastPathComponent): \(differences.prefix(3))")
        }
    }
}
