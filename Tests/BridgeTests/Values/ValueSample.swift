import Bridge
import Foundation
import LegacyStack
import StoreFormat
import StoreModel
import TestKit
import Testing

/// A store of the model of all attribute types, for a bridge in this process.
struct ValueSample {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("Values.sqlite")
        try StoreCreator.create(path, model: ValueCases.model, isTracked: true)
    }

    /// A bridge on it, with that owner of its entity; nothing keeps other programs from writing.
    func open(_ owner: StackName) throws -> StoreBridge {
        var options = BridgeOptions()
        options.guardMode = .off
        options.seed = OwnershipSeed(defaultOwner: owner)
        return try StoreBridge(path: path, options: options)
    }

    /// Whether the `sqlite3` shell finds that true of an object's row; nil for every row of `Sample`.
    func holds(_ condition: String, of object: ObjectReference? = nil) throws -> Bool {
        let rows = object.map { "WHERE Z_PK = \($0.key)" } ?? ""
        let result = try Programs.sqlite3(path, "SELECT count(*) = sum(\(condition)) FROM ZSAMPLE \(rows)")
        return result.output == "1\n"
    }

    /// SQL by the `sqlite3` shell.
    func foreign(_ sql: String) throws {
        let result = try Programs.sqlite3(path, sql)
        if result.exitCode != 0 { throw CocoaError(.fileWriteUnknown, userInfo: ["errors": result.errors]) }
    }

    /// The names of the external files.
    var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: ExternalData(storePath: path).folder)) ?? []
    }
}
