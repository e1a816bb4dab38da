import Foundation

extension ExternalData {
    /// Copies the files that this folder lacks from another store's. Files never change, so one that is there is the same.
    /// - Parameter isLinking: gives the file a second name, where the file system can, instead of copying it.
    /// - Returns: the names that are new here.
    /// - Throws: `StoreError` `ExternalData`; what was copied is then removed again.
    func copyFiles(from source: ExternalData, isLinking: Bool = false) throws -> [String] {
        let files = FileManager.default
        guard folder != source.folder, let names = try? files.contentsOfDirectory(atPath: source.folder), !names.isEmpty
        else { return [] }
        var copied: [String] = []
        do {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for name in names where !files.fileExists(atPath: path(of: name)) {
                try put(source.path(of: name), as: name, isLinking)
                copied.append(name)
            }
        } catch {
            remove(copied)
            throw StoreError(
                .externalData, "the external data in \(source.folder) cannot be copied to \(folder): \(error)",
                way: "free space there, and check the permissions")
        }
        return copied
    }

    /// Copies one file from another store's, unless it is here.
    /// - Returns: whether it is here now.
    func take(_ name: String, from source: ExternalData) throws -> Bool {
        let files = FileManager.default
        if files.fileExists(atPath: path(of: name)) { return true }
        guard files.fileExists(atPath: source.path(of: name)) else { return false }
        do {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try put(source.path(of: name), as: name, false)
        } catch {
            throw StoreError(
                .externalData, "the external file \(name) cannot be copied to \(folder): \(error)",
                way: "free space there, and check the permissions")
        }
        return true
    }

    private func put(_ source: String, as name: String, _ isLinking: Bool) throws {
        let files = FileManager.default
        if isLinking, link(source, path(of: name)) == 0 { return }
        // A copy that was cut off must not pass for the file.
        let partial = path(of: name) + ".partial"
        try? files.removeItem(atPath: partial)
        do {
            try files.copyItem(atPath: source, toPath: partial)
        } catch  where !files.fileExists(atPath: source) {
            // A save has removed it meanwhile.
            return
        }
        try StoreBackup.synchronize(partial)
        try files.moveItem(atPath: partial, toPath: path(of: name))
    }

    /// Removes files, and the folders when they are empty then.
    func remove(_ names: some Sequence<String>) {
        let files = FileManager.default
        for name in names { try? files.removeItem(atPath: path(of: name)) }
        // rmdir leaves a folder that is not empty.
        if rmdir(folder) == 0 { rmdir(URL(fileURLWithPath: folder).deletingLastPathComponent().path) }
    }
}
