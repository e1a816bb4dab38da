import Foundation
import KeyedArchive
import Testing

@testable import StoreModel

/// Real stores and models, which are not part of the project: `COEXIST_CORPUS` and `COEXIST_MODELS` name their folders,
/// `COEXIST_TOOLS` the folder of the reference tools.
enum Corpus {
    static let stores = folder("COEXIST_CORPUS")
    static let models = folder("COEXIST_MODELS")
    static let tools = folder("COEXIST_TOOLS")

    private static func folder(_ variable: String) -> URL? {
        guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else { return nil }
        return URL(fileURLWithPath: path, isDirectory: true)
    }

    /// A store's file in its folder: what begins as an SQLite file does.
    static func storeFiles() throws -> [URL] {
        guard let stores else { return [] }
        let folders = try FileManager.default.contentsOfDirectory(at: stores, includingPropertiesForKeys: nil)
        return try folders.sorted { $0.path < $1.path }.compactMap { folder in
            try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).first { file in
                guard !file.path.hasSuffix("-wal"), !file.path.hasSuffix("-shm"),
                    let handle = try? FileHandle(forReadingFrom: file)
                else { return false }
                defer { try? handle.close() }
                return (try? handle.read(upToCount: 15)) == Data("SQLite format 3".utf8)
            }
        }
    }

    /// The standard output of a program.
    static func output(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}

/// What a store says about its model.
struct CorpusStore {
    let name: String
    let cache: Data?
    let metadata: PropertyListNode?

    /// Reads a store through a copy, so that the original and its sidecars stay as they are.
    init(_ file: URL) throws {
        name = file.deletingLastPathComponent().lastPathComponent
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "coexist-corpus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let copy = folder.appendingPathComponent("store")
        try FileManager.default.copyItem(at: file, to: copy)
        if FileManager.default.fileExists(atPath: file.path + "-wal") {
            try FileManager.default.copyItem(atPath: file.path + "-wal", toPath: copy.path + "-wal")
        }
        cache = try Self.blob(copy, "SELECT hex(Z_CONTENT) FROM Z_MODELCACHE")
        metadata = try Self.blob(copy, "SELECT hex(Z_PLIST) FROM Z_METADATA").map { try PropertyList.parse($0) }
    }

    private static func blob(_ store: URL, _ query: String) throws -> Data? {
        let text = try Corpus.output("sqlite3", [store.path, query]).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty else { return nil }
        let digits = Array(text.utf8)
        return Data(
            stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
            })
    }

    var hashes: [String: Data] {
        Dictionary(
            (metadata?["NSStoreModelVersionHashes"]?.dictionary?.entries ?? []).compactMap { entry in
                entry.value.data.map { (entry.key, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }
}
