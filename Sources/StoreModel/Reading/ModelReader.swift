import Foundation
import KeyedArchive

/// Reads models from files and folders.
public enum ModelReader {
    /// No model is near this size; a larger file is not taken into memory.
    private static let maximumFileSize = 64 << 20

    /// Reads an `.xcdatamodeld`, `.xcdatamodel`, `.mom` or `.momd`. Of several versions the current one is read, or the only
    /// one.
    /// - Throws: ``ModelError``.
    public static func read(at path: String) throws(ModelError) -> LoadedModel {
        let kind = try kind(at: path)
        switch kind {
        case .source, .compiled:
            return LoadedModel(
                model: try readSingle(at: path), kind: kind, path: path, versionName: nil, versions: [])
        case .versionedSource, .versionedCompiled:
            let versions = try versions(at: path)
            guard let current = versions.first(where: \.isCurrent) else {
                // Named as they lie in the folder, so that one of them can be given as it stands here.
                let files = versions.map { URL(fileURLWithPath: $0.path).lastPathComponent }
                if let name = try namedCurrentVersion(at: path) {
                    throw .currentVersionMissing(path: path, name: name, versions: files)
                }
                throw .noCurrentVersion(path: path, versions: files)
            }
            return LoadedModel(
                model: try current.load(), kind: kind, path: path, versionName: current.name, versions: versions)
        }
    }

    /// Reads the version whose hashes are those of a store (`NSStoreModelVersionHashes`, where those of history do not
    /// count); the current one is tried first.
    /// - Returns: nil if no version that can be read has these hashes.
    /// - Throws: ``ModelError`` if the path holds no model at all, or if it is a single one that cannot be read.
    public static func read(at path: String, matching hashes: [String: Data]) throws(ModelError) -> LoadedModel? {
        let kind = try kind(at: path)
        func has(_ model: ModelDescription) throws(ModelError) -> Bool {
            let own = try model.versionHashes()
            return own == VersionHashes.ofModel(hashes, entities: own.keys)
        }
        guard kind == .versionedSource || kind == .versionedCompiled else {
            let model = try readSingle(at: path)
            guard try has(model) else { return nil }
            return LoadedModel(model: model, kind: kind, path: path, versionName: nil, versions: [])
        }
        let versions = try versions(at: path)
        for version in versions.sorted(by: { $0.isCurrent && !$1.isCurrent }) {
            guard let model = try? version.load(), (try? has(model)) == true else { continue }
            return LoadedModel(model: model, kind: kind, path: path, versionName: version.name, versions: versions)
        }
        return nil
    }

    /// The kind of model at a path, by its extension.
    /// - Throws: ``ModelError/unreadable(path:reason:)`` or ``ModelError/unknownKind(path:)``.
    public static func kind(at path: String) throws(ModelError) -> ModelKind {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .unreadable(path: path, reason: "no such file or folder")
        }
        guard let kind = ModelKind(rawValue: URL(fileURLWithPath: path).pathExtension.lowercased()) else {
            throw .unknownKind(path: path)
        }
        return kind
    }

    /// The versions of an `.xcdatamodeld` or `.momd`, by name; none of other models. Current is the one that
    /// `.xccurrentversion` or `VersionInfo.plist` names, or the only one where neither is there.
    /// - Throws: ``ModelError`` if the folder or what names the current version cannot be read.
    public static func versions(at path: String) throws(ModelError) -> [ModelVersion] {
        let kind = try kind(at: path)
        let inner: String
        switch kind {
        case .source, .compiled: return []
        case .versionedSource: inner = ModelKind.source.rawValue
        case .versionedCompiled: inner = ModelKind.compiled.rawValue
        }
        let files: [String]
        do {
            files = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw .unreadable(path: path, reason: "its folder cannot be listed")
        }
        // What begins with a dot is a system's note beside a file, not a version.
        let found = files.filter { $0.lowercased().hasSuffix("." + inner) && !$0.hasPrefix(".") }
        guard !found.isEmpty else { throw .noCurrentVersion(path: path, versions: []) }
        let named = try namedCurrentVersion(at: path)
        return found.map { file in
            let name = String(file.dropLast(inner.count + 1))
            return ModelVersion(
                name: name, path: "\(path)/\(file)", isCurrent: named.map { $0 == name } ?? (found.count == 1))
        }.sorted { $0.name < $1.name }
    }

    /// The version that an `.xcdatamodeld` or `.momd` names as its current one, whether it is there or not; nil where it
    /// names none.
    /// - Throws: ``ModelError`` if what names it cannot be read.
    public static func namedCurrentVersion(at path: String) throws(ModelError) -> String? {
        let kind = try kind(at: path)
        let name =
            kind == .versionedSource
            ? try propertyList(path + "/.xccurrentversion")?["_XCCurrentVersionName"]?.string
            : try versionInfo(at: path)?.currentVersionName
        let suffix = ".\(kind == .versionedSource ? ModelKind.source.rawValue : ModelKind.compiled.rawValue)"
        return name.map { $0.lowercased().hasSuffix(suffix) ? String($0.dropLast(suffix.count)) : $0 }
    }

    /// What the `VersionInfo.plist` of a `.momd` says; nil where there is none.
    /// - Throws: ``ModelError`` if it is there but cannot be read.
    public static func versionInfo(at path: String) throws(ModelError) -> VersionInfo? {
        let file = path + "/VersionInfo.plist"
        return try propertyList(file).map { list throws(ModelError) in try VersionInfo(list, source: file) }
    }

    /// The same, of the file's bytes; `path` names it in errors.
    package static func versionInfo(_ data: Data, path: String) throws(ModelError) -> VersionInfo {
        let list: PropertyListNode
        do {
            list = try PropertyList.parse(data)
        } catch {
            throw .malformed(source: path, reason: "\(error)")
        }
        return try VersionInfo(list, source: path)
    }

    /// Reads a model of one version.
    static func readSingle(at path: String) throws(ModelError) -> ModelDescription {
        switch try kind(at: path) {
        case .compiled:
            return try ModelCache.decode(archive: try contents(path), source: path)
        case .source:
            let contentsPath = path + "/contents"
            guard FileManager.default.fileExists(atPath: contentsPath) else {
                if FileManager.default.fileExists(atPath: path + "/elements") { throw .binaryModelSource(path: path) }
                throw .unreadable(path: path, reason: "there is no `contents` in it")
            }
            return try readSource(contents(contentsPath), name: contentsPath)
        case .versionedSource, .versionedCompiled:
            return try read(at: path).model
        }
    }

    /// Reads the XML of an `.xcdatamodel`; `name` is what errors call it.
    package static func readSource(_ data: Data, name: String) throws(ModelError) -> ModelDescription {
        try ContentsReader(data, source: name).model()
    }

    private static func contents(_ path: String) throws(ModelError) -> Data {
        // Links are followed, so that the size is that of what is read.
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        let attributes = try? FileManager.default.attributesOfItem(atPath: target)
        guard let size = attributes?[.size] as? Int, size <= maximumFileSize,
            attributes?[.type] as? FileAttributeType == .typeRegular
        else { throw .unreadable(path: path, reason: "it is no file of less than 64 MiB") }
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw .unreadable(path: path, reason: "it cannot be read")
        }
    }

    private static func propertyList(_ path: String) throws(ModelError) -> PropertyListNode? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            return try PropertyList.parse(contents(path))
        } catch let error as PropertyListError {
            throw .malformed(source: path, reason: "\(error)")
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
    }
}
