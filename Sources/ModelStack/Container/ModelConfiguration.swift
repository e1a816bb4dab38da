import Foundation
import StoreFormat

/// Where and how a container keeps its store.
public struct ModelConfiguration: Sendable, Hashable, Identifiable {
    /// The configuration's name, `default` or the file's where none is given.
    public var name: String
    /// Where the store file lies.
    public var url: URL
    /// Whether contexts may save; without it the store is opened read-only and never made.
    public var allowsSave: Bool
    /// Keeps the store in a file of its own that goes with the container.
    public var isStoredInMemoryOnly: Bool
    /// How the instance under the container is opened.
    public var options = ModelInstance.Options()
    /// The entities of this store; nil for all of the container's.
    public var schema: Schema?

    /// The name, for `Identifiable`.
    public var id: String { name }

    /// Compares everything but the schema.
    public static func == (a: Self, b: Self) -> Bool {
        a.name == b.name && a.url == b.url && a.allowsSave == b.allowsSave
            && a.isStoredInMemoryOnly == b.isStoredInMemoryOnly && a.options == b.options
    }

    /// Hashes name and URL.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(url)
    }

    /// A store under the default name in the person's data folder, or one that goes with the container.
    public init(
        _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true
    ) {
        self.name = name ?? "default"
        self.schema = schema
        self.allowsSave = allowsSave
        self.isStoredInMemoryOnly = isStoredInMemoryOnly
        let folder =
            isStoredInMemoryOnly
            ? FileManager.default.temporaryDirectory.appendingPathComponent("ModelStack-\(UUID().uuidString)")
            : Self.dataFolder
        url = folder.appendingPathComponent("\(name ?? "default").store")
    }

    /// A store at a path.
    public init(_ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true) {
        self.name = name ?? url.deletingPathExtension().lastPathComponent
        self.schema = schema
        self.url = url
        self.allowsSave = allowsSave
        isStoredInMemoryOnly = false
    }

    /// `$XDG_DATA_HOME/<program>`, or `~/.local/share/<program>`.
    private static var dataFolder: URL {
        let base =
            ProcessInfo.processInfo.environment["XDG_DATA_HOME"].map { URL(fileURLWithPath: $0) }
            ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".local/share")
        return base.appendingPathComponent(ProcessInfo.processInfo.processName)
    }
}
