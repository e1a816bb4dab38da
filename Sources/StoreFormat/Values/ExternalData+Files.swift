import Foundation

extension ExternalData {
    /// The names of another store's files that this folder lacks. Files never change, so one that is there is the same.
    func missing(from source: ExternalData) -> [String] {
        guard folder != source.folder else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: source.folder)) ?? []
        return names.filter { !FileManager.default.fileExists(atPath: path(of: $0)) }
    }

    /// Copies the files that this folder lacks from another store's.
    /// - Parameter isLinking: gives the file a second name, where the file system can, instead of copying it.
    /// - Returns: the names that are new here.
    /// - Throws: `StoreError`: `DiskFull`, `ReadOnly`, `AccessDenied`, or `ExternalData` for any other failure; what was
    ///   copied is then removed again.
    func copyFiles(from source: ExternalData, isLinking: Bool = false) throws -> [String] {
        var copied: [String] = []
        do {
            for name in missing(from: source) {
                try put(source.path(of: name), as: name, isLinking)
                copied.append(name)
            }
        } catch {
            remove(copied)
            throw error
        }
        return copied
    }

    /// Copies one file from another store's, unless it is here.
    /// - Returns: whether it is here now.
    func take(_ name: String, from source: ExternalData) throws -> Bool {
        let files = FileManager.default
        if files.fileExists(atPath: path(of: name)) { return true }
        guard files.fileExists(atPath: source.path(of: name)) else { return false }
        try put(source.path(of: name), as: name, false)
        return true
    }

    private func put(_ source: String, as name: String, _ isLinking: Bool) throws {
        let files = FileManager.default
        // A copy that was cut off must not pass for the file.
        let partial = path(of: name) + ".partial"
        do {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            if isLinking, link(source, path(of: name)) == 0 { return }
            try? files.removeItem(atPath: partial)
            try files.copyItem(atPath: source, toPath: partial)
            try DurableFile.synchronize(partial)
            try files.moveItem(atPath: partial, toPath: path(of: name))
        } catch {
            try? files.removeItem(atPath: partial)
            // A save has removed it meanwhile.
            guard files.fileExists(atPath: source) else { return }
            let bytes = (try? files.attributesOfItem(atPath: source)[.size]) as? Int
            throw StoreError(writing: path(of: name), error, bytes: bytes, otherwise: .externalData)
        }
    }

    /// Removes files, and the folders when they are empty then.
    func remove(_ names: some Sequence<String>) {
        let files = FileManager.default
        for name in names { try? files.removeItem(atPath: path(of: name)) }
        removeEmptyFolders()
    }

    func removeEmptyFolders() {
        // rmdir leaves a folder that is not empty.
        rmdir(folder)
        rmdir(supportFolder)
    }
}
