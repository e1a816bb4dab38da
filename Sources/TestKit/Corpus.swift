import Foundation

/// Real stores that lie outside the package, under `COEXIST_CORPUS`, with the independent tools under `COEXIST_TOOLS`.
public enum Corpus {
    /// Why a test that needs the corpus is skipped.
    public static let message = "COEXIST_CORPUS is not set: the real stores are not at hand"

    /// The folder of the corpus; nil where there is none.
    public static let folder: String? = existing("COEXIST_CORPUS")
    /// The folder of the independent tools, from `COEXIST_TOOLS`; nil where there is none.
    public static let tools: String? = existing("COEXIST_TOOLS")
    /// The folder of model files, from `COEXIST_MODELS`; nil where there is none.
    public static let models: String? = existing("COEXIST_MODELS")

    private static func existing(_ name: String) -> String? {
        guard let path = ProcessInfo.processInfo.environment[name], FileManager.default.fileExists(atPath: path) else {
            return nil
        }
        return path
    }

    /// The names of the stores' folders, sorted; empty where there is no corpus.
    public static let names: [String] = {
        guard let folder, let entries = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return entries.filter { !$0.hasPrefix(".") }.sorted()
    }()

    /// Copies a store's folder, sidecars included, into a test's own.
    /// - Returns: the path of the store file in it.
    public static func copy(_ name: String, to target: TemporaryFolder) throws -> String {
        let files = FileManager.default
        let source = "\(folder ?? "")/\(name)"
        for entry in try files.contentsOfDirectory(atPath: source) {
            let path = target.file(entry)
            try files.copyItem(atPath: "\(source)/\(entry)", toPath: path)
            try files.setAttributes([.posixPermissions: entry == "model" ? 0o755 : 0o644], ofItemAtPath: path)
        }
        let isStore = { (entry: String) in
            var isFolder: ObjCBool = false
            let exists = files.fileExists(atPath: target.file(entry), isDirectory: &isFolder)
            return exists && !isFolder.boolValue && entry != "SOURCE.txt" && !entry.hasSuffix("-wal")
                && !entry.hasSuffix("-shm")
                && !entry.hasPrefix(".")
        }
        guard let store = try files.contentsOfDirectory(atPath: target.path).sorted().first(where: isStore) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return target.file(store)
    }
}
