import Foundation
import SQLite
import StoreFormat

extension Configuration {
    /// Looks whether what the daemon writes has places of its own: a metrics file or a socket in the place of the store, of a
    /// file beside it, of the model or of the configuration would destroy that.
    /// - Throws: `ConfigurationError`.
    func checkPaths() throws {
        try check("socket", socket)
        guard let metricsFile else { return }
        try check("metricsFile", metricsFile)
        if Self.isSame(metricsFile, socket) { throw taken("metricsFile", metricsFile, "the socket") }
        switch MetricsFile.kind(of: metricsFile) {
        case .none, .metrics: break
        case .other(let what):
            throw ConfigurationError(
                path: "metricsFile", message: "\"\(metricsFile)\" is there, and is \(what)",
                way: "give another path, or remove what is there")
        }
    }

    /// Looks whether the store has what `ownership` names, as far as the store is there and can be read: a start would
    /// refuse it.
    /// - Throws: `StoreError` `BadConfiguration`.
    func checkOwnership() throws {
        let loaded = try? model.map { try StoreModels.load($0, for: store) }
        guard let opened = try? Store.open(store, model: loaded?.model) else { return }
        try ownership.check(opened)
    }

    private func check(_ key: String, _ path: String) throws {
        // An abstract socket has no place among files.
        if key == "socket", path.hasPrefix("@") { return }
        if StoreNames.belongs(path, to: store) { throw taken(key, path, "the store or what belongs to it") }
        if let model, Self.isSame(path, model) || RealPath.of(path).hasPrefix(RealPath.of(model) + "/") {
            throw taken(key, path, "the model")
        }
        if let source, Self.isSame(path, source) { throw taken(key, path, "the configuration itself") }
    }

    private static func isSame(_ path: String, _ other: String) -> Bool {
        if RealPath.of(path) == RealPath.of(other) { return true }
        guard let identity = FileIdentity(path) else { return false }
        return identity == FileIdentity(other)
    }

    private func taken(_ key: String, _ path: String, _ what: String) -> ConfigurationError {
        ConfigurationError(path: key, message: "\"\(path)\" is \(what)", way: "give a path of its own")
    }
}
