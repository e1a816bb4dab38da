import Bridge
import Foundation
import StoreFormat
import Systemd
import Varlink

extension Configuration {
    /// The keys of each section.
    static let sections = [
        "ownership": ["default", "entities", "relationships"],
        "history": ["tracking", "retention", "maximumTransactions", "slowConsumer"],
        "readers": ["count", "maximumAge"],
        "cache": ["maximumObjects", "legacy", "model"],
        "wal": ["maximumBytes"],
        "access": ["observe", "write", "admin"],
        "limits": ["clients", "messageBytes", "queuedBytes", "idle", "stall"],
        "log": ["level", "target"],
    ]
    /// The keys of values that stand in no section.
    static let plainKeys = ["store", "model", "socket", "guard", "crossStackDeletes", "durability", "metricsFile"]

    /// Reads a configuration file. Relative paths in it are relative to the file.
    /// - Throws: `ConfigurationError`.
    public init(file: String) throws {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ConfigurationError(
                path: file, message: "the file cannot be read", way: "check the path and its permissions")
        }
        let json: JSON
        do {
            json = try JSON(parsing: [UInt8](data))
        } catch {
            throw ConfigurationError(
                path: file, message: "the file is no JSON: \(error)", way: "correct it at that byte")
        }
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        try self.init(json: json, relativeTo: folder.path)
        source = file
        try checkPaths()
    }

    /// Reads a configuration.
    /// - Throws: `ConfigurationError`.
    public init(json: JSON, relativeTo folder: String) throws {
        guard let object = json.objectValue else {
            throw ConfigurationError(
                path: "(top)", message: "a configuration is an object", way: "see config.example.json")
        }
        let top = try ConfigurationReader(object, path: "", keys: Self.plainKeys + Self.sections.keys.sorted())
        func resolve(_ path: String) -> String {
            path.hasPrefix("/")
                ? path : URL(fileURLWithPath: folder).appendingPathComponent(path).standardizedFileURL.path
        }
        guard let store = try top.string("store") else {
            throw ConfigurationError(
                path: "store", message: "the store's path is missing", way: "give \"store\": \"PATH\"")
        }
        self.init(store: resolve(store))
        model = try top.string("model").map(resolve)
        socket = try top.string("socket").map(resolve) ?? Self.defaultSocket
        guardMode = try top.choice("guard", GuardMode.self) ?? guardMode
        crossStackDeletes = try top.choice("crossStackDeletes", CrossStackDeletes.self) ?? crossStackDeletes
        durability =
            try top.string("durability").map { text in
                guard let value = StoreConnector.Durability(rawValue: text) else {
                    throw ConfigurationError(
                        path: "durability", message: "\"\(text)\" is not allowed",
                        way: "allowed is \"full\", \"normal\"")
                }
                return value
            } ?? durability
        metricsFile = try top.string("metricsFile").map(resolve)
        try readSections(top)
    }

    private enum Switch: String, CaseIterable {
        case on
        case off
    }

    private mutating func readSections(_ top: ConfigurationReader) throws {
        func section(_ name: String) throws -> ConfigurationReader? {
            try top.section(name, keys: Self.sections[name] ?? [])
        }
        let year = 31_536_000
        if let section = try section("ownership") {
            ownership.defaultOwner = try section.choice("default", StackName.self) ?? ownership.defaultOwner
            ownership.entities = try section.owners("entities") ?? [:]
            ownership.relationships = try section.owners("relationships") ?? [:]
        }
        if let section = try section("history") {
            history.isTracking = try section.choice("tracking", Switch.self) != .off
            history.retention = try section.integer("retention", 0...100 * year)
            history.maximumTransactions = try section.integer("maximumTransactions", 1...Int.max)
            history.slowConsumer = try section.choice("slowConsumer", History.SlowConsumer.self) ?? .hold
        }
        if let section = try section("readers") {
            readers.count = try section.integer("count", 1...64) ?? readers.count
            readers.maximumAge = try section.integer("maximumAge", 1...86_400) ?? readers.maximumAge
        }
        if let section = try section("cache") {
            let both = try section.integer("maximumObjects", 0...100_000_000)
            cache.legacy = try section.integer("legacy", 0...100_000_000) ?? both ?? cache.legacy
            cache.model = try section.integer("model", 0...100_000_000) ?? both ?? cache.model
        }
        if let section = try section("wal") {
            maximumLogBytes = try section.integer("maximumBytes", 65_536...1 << 40) ?? maximumLogBytes
        }
        if let section = try section("access") {
            access.observe = try section.strings("observe") ?? []
            access.write = try section.strings("write") ?? []
            access.admin = try section.strings("admin") ?? []
        }
        if let section = try section("limits") {
            limits.clients = try section.integer("clients", 1...4_096) ?? limits.clients
            limits.messageBytes = try section.integer("messageBytes", 1_024...16 << 20) ?? limits.messageBytes
            limits.queuedBytes = try section.integer("queuedBytes", 65_536...1 << 30) ?? limits.queuedBytes
            limits.idle = try section.integer("idle", 0...86_400) ?? limits.idle
            limits.stall = try section.integer("stall", 1...86_400) ?? limits.stall
        }
        if let section = try section("log") {
            if let text = try section.string("level") {
                guard let level = LogLevel(name: text) else {
                    throw ConfigurationError(
                        path: "log.level", message: "\"\(text)\" is not allowed",
                        way: "allowed is \(LogLevel.allCases.map { "\"\($0.name)\"" }.joined(separator: ", "))")
                }
                logLevel = level
            }
            logTarget = try section.choice("target", LogTarget.self) ?? logTarget
        }
    }
}
