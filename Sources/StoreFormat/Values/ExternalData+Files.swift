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
                try put(name, from: source, isLinking)
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
        try put(name, from: source, false)
        return files.fileExists(atPath: path(of: name))
    }

    // MARK: Who may read them

    /// Whoever may open the store; nil while there is none.
    var access: StoreAccess? { StoreAccess(of: storePath) }

    /// Makes the two folders, where they are missing.
    func makeFolder() throws { try makeFolder(access) }

    private func makeFolder(_ access: StoreAccess?) throws {
        for folder in [supportFolder, folder] where try PrivateFile.makeFolder(folder) {
            access?.give(toFolder: folder)
        }
    }

    /// Makes the folder above, where it is missing.
    func makeSupportFolder() throws {
        if try PrivateFile.makeFolder(supportFolder) { access?.give(toFolder: supportFolder) }
    }

    /// Gives all files and the folders to whom a store is open to.
    func give(_ access: StoreAccess) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            access.give(to: path(of: name))
        }
        for folder in [folder, supportFolder] { access.give(toFolder: folder) }
    }

    // MARK: Copying

    private func put(_ name: String, from store: ExternalData, _ isLinking: Bool) throws {
        let source = store.path(of: name)
        // What is no ordinary file is no value of the store's, and may lead anywhere.
        guard StoreProbe.isOrdinary(source) else { return }
        // Of a store that is still to come the files are as open as those that they are copied from.
        let access = access ?? store.access?.writable
        let files = FileManager.default
        // A copy that was cut off must not pass for the file.
        let partial = path(of: name) + ".partial"
        do {
            try makeFolder(access)
            if isLinking, link(source, path(of: name)) == 0 { return }
            try? files.removeItem(atPath: partial)
            try PrivateFile.copy(source, to: partial)
            access?.give(to: partial)
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
