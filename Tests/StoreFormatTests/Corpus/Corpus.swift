import Foundation
import SQLite
import StoreFormat
import TestKit
import Testing

/// Real stores: each a folder with an SQLite file in it, in the folder that `COEXIST_CORPUS` names.
enum Corpus {
    static let folder = ProcessInfo.processInfo.environment["COEXIST_CORPUS"]
    static let condition: ConditionTrait = .enabled(
        if: folder != nil, "COEXIST_CORPUS is not set: it names a folder with real stores")

    /// The stores' names: the folder's and the file's.
    static var stores: [String] {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return names.sorted().flatMap { name in
            ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(name)")) ?? []).sorted()
                .map { "\(name)/\($0)" }.filter { isDatabase("\(folder)/\($0)") }
        }
    }

    private static func isDatabase(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 16)) == Data("SQLite format 3\0".utf8)
    }

    /// Copies a store, with what lies beside it, into a folder of the test's own.
    static func copy(_ name: String, to folder: TemporaryFolder) throws -> String {
        let source = URL(fileURLWithPath: try #require(self.folder)).appendingPathComponent(name)
        let file = source.lastPathComponent
        let base = source.deletingPathExtension().lastPathComponent
        for item in [file, "\(file)-wal", ".\(base)_SUPPORT"] {
            let from = source.deletingLastPathComponent().appendingPathComponent(item).path
            guard FileManager.default.fileExists(atPath: from) else { continue }
            try FileManager.default.copyItem(atPath: from, toPath: folder.file(item))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file(item))
        }
        return folder.file(file)
    }

    /// A copy of the store, opened by its own model; nil for one that cannot be read without a model file.
    static func open(_ name: String, in folder: TemporaryFolder) throws -> Store? {
        do {
            return try Store.open(try copy(name, to: folder))
        } catch let error as StoreError where [.modelMissing, .modelUnreadable, .metadataUnreadable, .notAStore].contains(error.code) {
            return nil
        }
    }
}
