import Foundation
import SQLite

/// The note that an adoption leaves beside the store for as long as its copy is there and it has not come to its end: by it,
/// whoever comes after one that was killed knows the copy for one that nobody needs.
public enum AdoptionNote {
    /// What an adoption calls its copies.
    public static let label = "before-coexist"

    static func path(of store: String) -> String { RealPath.of(store) + "-coexist-adoption" }

    /// Says that the copy is being made. Without a note, as on a full disk, a copy may stay: no more is lost.
    public static func write(_ store: String, copy: String) {
        guard isCopy(name(copy), of: store) else { return }
        let descriptor = open(path(of: store), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try? file.write(contentsOf: Data(name(copy).utf8))
    }

    /// Takes the note away.
    public static func remove(_ store: String) { unlink(path(of: store)) }

    /// Removes the copy of an adoption that was killed before its end, and the note. Where the adoption had come to its end,
    /// or that cannot be seen, the copy stays.
    static func settle(_ store: String) {
        let descriptor = open(path(of: store), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let copy = ((try? file.read(upToCount: 4_096)) ?? nil).map { String(decoding: $0, as: UTF8.self) } ?? ""
        do {
            let isAdopted = try CoexistenceTables.missing(StoreConnector.offlineReader(store)) != nil
            if !isAdopted, isCopy(copy, of: store) {
                StoreBackup.remove(RealPath.folder(of: RealPath.of(store)) + "/" + copy)
            }
            remove(store)
        } catch {
            // What the opening that comes now will say.
        }
    }

    private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

    /// Whether a file's name is one that a copy beside the store has: nobody's word is taken for any other.
    private static func isCopy(_ name: String, of store: String) -> Bool {
        !name.contains("/") && name.hasPrefix("\(Self.name(RealPath.of(store))).\(label)-")
    }
}
