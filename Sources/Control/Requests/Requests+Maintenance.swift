import Bridge
import Foundation
import SQLite
import StoreFormat
import Varlink

extension Requests {
    func invalidate(_ parameters: JSONObject) throws -> JSONObject {
        let entities = try parameters["entity"]?.stringValue.map { Set(try store.layout.entity($0).treeNames) }
        for name in StackName.allCases { bridge.instance(name).dropCaches(of: entities, position: nil) }
        return [:]
    }

    func checkpoint() throws -> JSONObject {
        let result = try bridge.checkpoint()
        return [
            "complete": .bool(result.isComplete), "frames": JSON(result.logFrames),
            "moved": JSON(result.checkpointedFrames),
            "heldBy": result.isComplete
                ? .null : LogReaders.description(databasePath: store.path).map { .string($0) } ?? .null,
        ]
    }

    func backup(_ parameters: JSONObject) throws -> JSONObject {
        let file = parameters["file"]?.stringValue ?? ""
        guard file.hasPrefix("/") else {
            throw StoreError(
                .refused, "\(file) is no absolute path", way: "the daemon has a folder of its own: give a path from /")
        }
        // What lies at the store's path may be another one by now.
        try bridge.checkPlace()
        let damage = try StoreBackup.copy(store.path, to: file)
        return ["file": .string(file), "damage": damage.map { .string($0) } ?? .null]
    }
}
