import Foundation
import StoreFormat
import StoreModel
import Varlink

/// What `hashes` tells: entity version hashes of a model, of each version where there are several, or of a store's model
/// beside the store's own.
struct HashReport {
    private enum Subject {
        /// `model`: what the store was compared with, where that was given.
        case single(HashComparison, isStore: Bool, model: String? = nil)
        case versions([Version], hasInfo: Bool)
    }

    /// A version of an `.xcdatamodeld` or `.momd`.
    private struct Version {
        let name: String
        let isCurrent: Bool
        let result: Result<HashComparison, any Error>

        var comparison: HashComparison? { try? result.get() }
    }

    private let subject: Subject

    /// - Parameters:
    ///   - path: a model or a store.
    ///   - model: the model to compute a store's hashes from; nil takes the store's own.
    init(_ path: String, model: String?) throws {
        guard StoreModels.isModel(path) else {
            let (comparison, source) = try Self.store(path, model)
            subject = .single(comparison, isStore: true, model: source)
            return
        }
        guard model == nil else {
            throw CommandFailure.usage("\(path) is a model itself", "give --model for a store only")
        }
        let kind = try ModelReader.kind(at: path)
        if kind == .source || kind == .compiled {
            let hashes = try ModelReader.read(at: path).model.versionHashes()
            subject = .single(HashComparison(computed: hashes), isStore: false)
            return
        }
        let info = kind == .versionedCompiled ? try ModelReader.versionInfo(at: path) : nil
        subject = .versions(try Self.versions(path, info), hasInfo: info != nil)
        if case .failure(let error)? = current?.result { throw error }
    }

    private static func store(_ path: String, _ model: String?) throws -> (HashComparison, String?) {
        do {
            let store: Store
            var source: String?
            if let model {
                let loaded = try StoreModels.load(model, for: path)
                source = loaded.sourceDescription
                store = try Store.open(
                    path, model: loaded.model, source: loaded.sourceDescription, requiringEqualHashes: false)
            } else {
                store = try Store.open(path)
            }
            let comparison = HashComparison(
                computed: try store.model.versionHashes(), stored: store.metadata.versionHashes,
                storedChecksum: store.metadata.checksum, storedDigest: store.metadata.digest)
            return (comparison, source)
        } catch {
            throw CommandFailure(error, opening: true)
        }
    }

    private static func versions(_ path: String, _ info: VersionInfo?) throws -> [Version] {
        var result = try ModelReader.versions(at: path).map { version in
            Version(
                name: version.name, isCurrent: version.isCurrent,
                result: Result {
                    HashComparison(
                        computed: try version.load().versionHashes(),
                        // A version that a list of hashes leaves out has no hash in it.
                        stored: info.flatMap { $0.hashes.isEmpty ? nil : $0.hashes[version.name] ?? [:] },
                        storedChecksum: info?.checksums[version.name])
                })
        }
        let listed = Set(info?.hashes.keys.map { $0 } ?? []).union(info?.checksums.keys.map { $0 } ?? [])
        for name in listed.subtracting(result.map(\.name)).sorted() {
            let missing = ModelError.missing(what: "\(name).mom, which VersionInfo.plist lists,", place: path)
            result.append(.init(name: name, isCurrent: false, result: .failure(missing)))
        }
        return result
    }

    private var current: Version? {
        guard case .versions(let versions, _) = subject else { return nil }
        return versions.first(where: \.isCurrent)
    }

    /// Whether a store's hashes and digests are those of its model, and a compiled model's list those of its versions; true
    /// where nothing is stored.
    var agrees: Bool {
        switch subject {
        case .single(let comparison, _, _): comparison.agrees
        // A version of a source that cannot be read disagrees with nothing; one that a list has does.
        case .versions(let versions, let hasInfo): versions.allSatisfy { $0.comparison?.agrees ?? !hasInfo }
        }
    }

    var json: JSON {
        switch subject {
        case .single(let comparison, _, let model):
            var object = comparison.json
            object["model"] = model.map { .string($0) }
            return .object(object)
        case .versions(let versions, _):
            var object: JSONObject = current?.comparison?.json ?? ["entities": [:], "checksum": .null, "digest": .null]
            object["agrees"] = .bool(agrees)
            object["version"] = (current?.name).map { .string($0) } ?? .null
            object["versions"] = .array(
                versions.map { version in
                    var object: JSONObject = ["name": .string(version.name), "current": .bool(version.isCurrent)]
                    switch version.result {
                    case .success(let comparison): for (key, value) in comparison.json { object[key] = value }
                    case .failure(let error): object["error"] = .string("\(error)")
                    }
                    return .object(object)
                })
            return .object(object)
        }
    }

    func print(_ output: Output) {
        switch subject {
        case .single(let comparison, let isStore, let model):
            if let model { output.line("computed from \(model)") }
            comparison.print(output, place: "in the store")
            if isStore { output.line(agrees ? "the store agrees" : "the store does not agree") }
        case .versions(let versions, let hasInfo):
            for version in versions {
                output.line("version \(version.name)\(version.isCurrent ? " (current)" : "")")
                switch version.result {
                case .success(let comparison): comparison.print(output, place: "in VersionInfo.plist")
                case .failure(let error): output.line("cannot be read: \(error)")
                }
                output.line()
            }
            if current == nil { output.line("no version is the current one") }
            if hasInfo { output.line("VersionInfo.plist \(agrees ? "agrees" : "does not agree")") }
        }
    }
}
