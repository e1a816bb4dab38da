import Foundation
import SQLite

/// The files beside a store that hold large values of attributes with external storage (Format, section 3.2).
///
/// A column holds 0x01 and the bytes, or 0x02, a file's name of 36 characters, and 0x00.
public struct ExternalData: Sendable, Hashable {
    /// `.<store name>_SUPPORT/_EXTERNAL_DATA` in the store's folder.
    public let folder: String
    /// Values above this many bytes go to a file.
    public static let threshold = 128 * 1024

    /// The folder that goes with a store file.
    public init(storePath: String) {
        let url = URL(fileURLWithPath: storePath)
        let name = url.deletingPathExtension().lastPathComponent
        folder = url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA").path
    }

    /// Whether another store in the same folder has its files in the same place: the name's last extension is not part of
    /// the place, and copies are often named by one more.
    func isShared(storePath: String) -> Bool {
        let url = URL(fileURLWithPath: storePath)
        let own = url.lastPathComponent
        let base = url.deletingPathExtension().lastPathComponent
        let siblings =
            (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)) ?? []
        return siblings.contains { name in
            name != own && !name.hasPrefix(own + "-") && !name.hasSuffix("-wal") && !name.hasSuffix("-shm")
                && URL(fileURLWithPath: "/" + name).deletingPathExtension().lastPathComponent == base
        }
    }

    /// The path of the file of that name.
    public func path(of name: String) -> String { folder + "/" + name }

    /// The file's name, if the column's bytes are a reference.
    public static func reference(in bytes: some Collection<UInt8>) -> String? {
        guard bytes.first == 2 else { return nil }
        let name = bytes.dropFirst().prefix { $0 != 0 }
        let text = String(decoding: name, as: UTF8.self)
        // A name from a file must not lead out of the folder.
        return UUID(uuidString: text) == nil ? nil : text
    }

    func decode(_ bytes: [UInt8]) -> AttributeValue {
        switch bytes.first {
        case 1: return .data(Data(bytes.dropFirst()))
        case 2:
            guard let name = Self.reference(in: bytes) else {
                return .missingExternalData(name: String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self))
            }
            guard let data = contents(of: name) else { return .missingExternalData(name: name) }
            return .data(data)
        default: return .data(Data(bytes))
        }
    }

    /// The bytes of the file of that name; nil where no ordinary file has it. Links are not followed, and nothing that
    /// has no end is waited for: the folder may come from anywhere.
    func contents(of name: String) -> Data? {
        let descriptor = open(path(of: name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).readToEnd() ?? Data()
    }

    /// The column's value that names a file.
    static func column(naming name: String) -> SQLValue { .blob([2] + Array(name.utf8) + [0]) }

    /// Writes a file and syncs it, before the row that names it is written.
    /// - Throws: `StoreError` `ExternalData`.
    func write(_ data: Data, as name: String) throws {
        let url = URL(fileURLWithPath: path(of: name))
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try data.write(to: url, options: .withoutOverwriting)
            let file = try FileHandle(forUpdating: url)
            try file.synchronize()
            try file.close()
            Self.synchronize(folder: folder)
        } catch {
            throw StoreError(
                .externalData, "the external file \(name) cannot be written: \(error)",
                way: "make \(folder) writable and free space on its disk")
        }
    }

    /// A new file's name is on the disk only when its folder is.
    static func synchronize(folder: String) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
