import Foundation

/// A model with where it came from.
public struct LoadedModel: Sendable {
    /// The model: of a folder of versions, the chosen one.
    public var model: ModelDescription
    /// The form that it was read from.
    public var kind: ModelKind
    /// The file or folder that was read.
    public var path: String
    /// The name of the version that `model` is, where the source has versions.
    public var versionName: String?
    /// All versions of the source, by name; empty where it has none.
    public var versions: [ModelVersion]

    /// Where the model came from, for a person: `version "Model" of Model.xcdatamodeld, not the current "Model 2"`.
    public var sourceDescription: String {
        let file = URL(fileURLWithPath: path).lastPathComponent
        guard let versionName else { return file }
        let current = versions.first(where: \.isCurrent)?.name
        let other = current.flatMap { $0 == versionName ? nil : ", not the current \"\($0)\"" } ?? ""
        return "version \"\(versionName)\" of \(file)\(other)"
    }
}

/// The forms that a model may lie on disk in.
public enum ModelKind: String, Sendable, CaseIterable {
    /// `.xcdatamodeld`: a folder of versions as source.
    case versionedSource = "xcdatamodeld"
    /// `.xcdatamodel`: a folder with the XML file `contents`.
    case source = "xcdatamodel"
    /// `.momd`: a folder of compiled versions with `VersionInfo.plist`.
    case versionedCompiled = "momd"
    /// `.mom`: a keyed archive.
    case compiled = "mom"
}

/// A version inside an `.xcdatamodeld` or `.momd`.
public struct ModelVersion: Sendable, Hashable {
    /// The version's name: its file's name without the extension.
    public var name: String
    /// The version's file or folder.
    public var path: String
    /// Whether the source names it as the current one.
    public var isCurrent: Bool

    /// Reads the version.
    /// - Throws: ``ModelError``.
    public func load() throws(ModelError) -> ModelDescription {
        try ModelReader.readSingle(at: path)
    }
}
