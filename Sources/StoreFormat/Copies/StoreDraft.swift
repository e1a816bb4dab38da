import Foundation
import SQLite

/// A store that is being made, under a name of its own until it is whole: what has the final name is never a part. What a
/// process that was killed leaves is called `TARGET.partial-….tmp`, and so is its folder of external files.
struct StoreDraft {
    /// The name that it gets.
    let target: String
    /// Where it is made.
    let path: String
    static let mark = ".partial-"

    /// - Throws: `StoreError`: `AlreadyExists` where something has the name, `NotFound` where its folder is missing.
    init(of target: String) throws {
        guard !StoreProbe.isTaken(target) else { throw StoreError.taken(target) }
        try StoreNames.check(target)
        self.target = RealPath.of(target)
        // The last extension is no part of the folder's name, and a draft must have a folder of its own.
        path = "\(self.target)\(Self.mark)\(UUID().uuidString.prefix(8)).tmp"
        let folder = URL(fileURLWithPath: self.target).deletingLastPathComponent().path
        guard FileManager.default.fileExists(atPath: folder) else {
            throw StoreError(.notFound, "there is no folder \(folder)", way: "make it first, or give another path")
        }
        // SQLite does not say why it cannot make a file.
        guard access(folder, W_OK | X_OK) == 0 else { throw StoreError(writing: self.target, errno: errno) }
    }

    /// Where it has its external files.
    var externalData: ExternalData { ExternalData(storePath: path) }

    /// Gives file and external files their names. No connection may be open.
    /// - Parameter store: the store that it is made of, whose owner and mode it gets with its external files; nil leaves
    ///   those that it has.
    /// - Throws: `StoreError`: `AlreadyExists` where something has got the name meanwhile.
    func finish(like store: String? = nil) throws {
        do {
            try DurableFile.synchronize(path)
        } catch {
            throw StoreError(writing: target, error)
        }
        let (own, place) = (externalData, ExternalData(storePath: target))
        let hasFiles = !own.isEmpty
        if let access = store.flatMap(StoreAccess.init) {
            own.give(access)
            access.give(to: path)
        }
        if hasFiles {
            place.removeEmptyFolders()
            // Before the file, for a copy without its external data is none.
            try NewName.give(place.supportFolder, to: own.supportFolder)
        }
        do {
            try NewName.give(target, to: path)
        } catch {
            if hasFiles { try? NewName.give(own.supportFolder, to: place.supportFolder) }
            throw error
        }
        DurableFile.synchronizeFolder(of: target)
    }

    /// Removes it. Does nothing once it has its name.
    func discard() {
        guard FileManager.default.fileExists(atPath: path) || !externalData.isEmpty else { return }
        StoreBackup.remove(path)
    }
}
