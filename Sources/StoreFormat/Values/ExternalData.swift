import Foundation
import SQLite

/// The files beside a store that hold large values of attributes with external storage (Format, section 3.2).
///
/// A column holds 0x01 and the bytes, or 0x02, a file's name of 36 characters, and 0x00.
public struct ExternalData: Sendable, Hashable {
    /// `.<store name>_SUPPORT/_EXTERNAL_DATA` in the store's folder.
    public let folder: String
    /// The store file.
    let storePath: String
    /// Values above this many bytes go to a file.
    public static let threshold = 128 * 1024

    /// The folder that goes with a store file: beside the file itself, where the path is a link.
    public init(storePath: String) {
        self.storePath = RealPath.of(storePath)
        let url = URL(fileURLWithPath: self.storePath)
        let name = url.deletingPathExtension().lastPathComponent
        folder = url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA").path
    }

    /// The folder above, `.<store name>_SUPPORT`.
    var supportFolder: String { URL(fileURLWithPath: folder).deletingLastPathComponent().path }

    /// Whether there are no files.
    var isEmpty: Bool { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).isEmpty }

    /// Whether another store in the same folder has its files in the same place: the name's last extension is not part of
    /// the place, and copies are often named by one more.
    func isShared(storePath: String) -> Bool { !Self.sharers(of: storePath).isEmpty }

    /// Files beside a store's that would have their external files in the same place, were they stores.
    private static func sharers(of storePath: String) -> [String] {
        let url = URL(fileURLWithPath: RealPath.of(storePath))
        let own = url.lastPathComponent
        let base = url.deletingPathExtension().lastPathComponent
        let folder = url.deletingLastPathComponent().path
        let siblings = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return siblings.filter { name in
            name != own && !name.hasPrefix(own + "-") && !name.hasSuffix("-wal") && !name.hasSuffix("-shm")
                && URL(fileURLWithPath: "/" + name).deletingPathExtension().lastPathComponent == base
        }.map { "\(folder)/\($0)" }
    }

    /// Looks whether a new store of that name would have a place for external files of its own.
    /// - Parameter hasFiles: whether it will have some at once.
    /// - Throws: `StoreError` `ExternalData` where another store's are there, or would be.
    static func requireOwnPlace(_ storePath: String, hasFiles: Bool) throws {
        let place = ExternalData(storePath: storePath)
        // What other programs have there is no store that could lose files.
        let others = sharers(of: storePath).filter { StoreProbe.isDatabase($0) }
        guard !place.isEmpty || hasFiles && !others.isEmpty else { return }
        let owner = others.first ?? "another store"
        throw StoreError(
            .externalData,
            "\(storePath) would have its external data in \(place.supportFolder), which is that of \(owner)",
            way: "give it another name before the last extension, or another folder")
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
    /// - Throws: `StoreError`: `DiskFull`, `ReadOnly`, `AccessDenied`, or `ExternalData` for any other failure.
    func write(_ data: Data, as name: String) throws {
        do {
            try makeFolder()
            try PrivateFile.write(data, to: path(of: name))
            access?.give(to: path(of: name))
            try DurableFile.synchronize(path(of: name))
        } catch {
            throw StoreError(writing: path(of: name), error, bytes: data.count, otherwise: .externalData)
        }
    }
}
