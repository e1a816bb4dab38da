import Foundation
import SQLite

/// The names that belong to a store: its own, those of what SQLite and we keep beside it, and of its external files.
/// Whatever else is put there is taken for a part of the store, or removed.
public enum StoreNames {
    /// What SQLite puts behind a file's name for those that it keeps beside it.
    static let sidecars = ["-wal", "-shm", "-journal"]

    /// Removes what SQLite keeps beside a file.
    static func removeSidecars(of path: String) {
        for suffix in sidecars { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    /// How the names of all that is ours begin: lock, queue, notices, what migrations and restores build.
    private static let own = "-coexist"

    /// Whether a path is the store's, by whatever links: the file itself, a file or folder beside it, or in one of these.
    public static func belongs(_ path: String, to store: String) -> Bool {
        let (path, store) = (RealPath.of(path), RealPath.of(store))
        if path == store { return true }
        if path.hasPrefix(store) {
            let rest = path.dropFirst(store.count)
            if sidecars.contains(String(rest)) || rest.hasPrefix(own) { return true }
        }
        if (path + "/").hasPrefix(ExternalData(storePath: store).supportFolder + "/") { return true }
        // A second name of one of them.
        guard let identity = FileIdentity(path) else { return false }
        let names = ["", own].map { store + $0 } + sidecars.map { store + $0 } + [StoreQueue.path(of: store)]
        return names.contains { FileIdentity($0) == identity }
    }

    /// The store that a path belongs to as one of its sidecars, judged by the names; nil for one that nobody has a use for.
    static func owner(of path: String) -> String? {
        var path = RealPath.of(path)
        while path.count > 1 {
            let name = (path as NSString).lastPathComponent
            let folder = RealPath.folder(of: path)
            for suffix in sidecars where name.hasSuffix(suffix) && name != suffix {
                let store = String(path.dropLast(suffix.count))
                if StoreProbe.isDatabase(store) { return store }
            }
            // The first of them: names of ours have more to come.
            if let range = name.range(of: own), range.lowerBound > name.startIndex {
                let store = "\(folder)/\(name[..<range.lowerBound])"
                if StoreProbe.isDatabase(store) { return store }
            }
            guard folder != path, folder != "." else { return nil }
            path = folder
        }
        return nil
    }

    /// Refuses to make a file where it would be taken for a part of a store.
    /// - Parameter store: the store that is at work, if there is one.
    /// - Throws: `StoreError` `Refused`.
    static func check(_ target: String, from store: String? = nil) throws {
        // To copy a store over itself is refused for what lies there.
        let known = store.flatMap { belongs(target, to: $0) && RealPath.of(target) != RealPath.of($0) ? $0 : nil }
        guard let owner = known ?? owner(of: target) else { return }
        throw StoreError(
            .refused,
            "\(target) is a name that belongs to \(owner): what is put there is taken for a part of it, or removed",
            way: "give another name, or another folder")
    }
}
