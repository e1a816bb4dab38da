import Bridge
import Foundation
import StoreFormat
import Systemd
import Varlink

/// The daemon's configuration, with every default filled in.
public struct Configuration: Sendable, Hashable {
    public var store: String
    /// The model to read the store by; nil takes the store's own.
    public var model: String?
    public var socket: String
    public var ownership = OwnershipSeed()
    public var guardMode = GuardMode.always
    public var crossStackDeletes = CrossStackDeletes.refuse
    public var history = History()
    public var durability = StoreConnector.Durability.full
    public var readers = Readers()
    public var cache = Cache()
    /// Above this size, in bytes, the WAL is moved into the store.
    public var maximumLogBytes = 64 << 20
    public var access = Access()
    public var limits = ClientLimits()
    public var logLevel = LogLevel.info
    public var logTarget = LogTarget.stderr
    /// Where metrics are written as OpenMetrics text; nil writes none.
    public var metricsFile: String?

    /// Settings that are read, but that this version does nothing with yet: said aloud at the start.
    public var withoutEffect: [String] {
        var keys: [String] = []
        if history.retention != nil { keys.append("history.retention") }
        if history.maximumTransactions != nil { keys.append("history.maximumTransactions") }
        if history.slowConsumer != .hold { keys.append("history.slowConsumer") }
        if readers.maximumAge != Readers().maximumAge { keys.append("readers.maximumAge") }
        if metricsFile != nil { keys.append("metricsFile") }
        return keys
    }

    public static let defaultSocket = "/run/coexistd/org.coexistd.control"

    public init(store: String, socket: String = defaultSocket) {
        self.store = store
        self.socket = socket
    }

    /// What to do with deletes whose rules reach the other owner's rows.
    public enum CrossStackDeletes: String, Sendable, Hashable, CaseIterable {
        case refuse
        case forward
    }

    public struct History: Sendable, Hashable {
        public var isTracking = true
        /// Seconds that history is kept; nil keeps it.
        public var retention: Int?
        public var maximumTransactions: Int?
        public var slowConsumer = SlowConsumer.hold

        public enum SlowConsumer: String, Sendable, Hashable, CaseIterable {
            case hold
            case expire
        }
    }

    public struct Readers: Sendable, Hashable {
        public var count = 2
        /// Seconds after which a pinned reader is ended.
        public var maximumAge = 60
    }

    public struct Cache: Sendable, Hashable {
        /// Rows a stack keeps at most.
        public var legacy = 100_000
        public var model = 100_000
    }

    /// Users and groups (as `@group`) by role; root and the daemon's own user may do everything.
    public struct Access: Sendable, Hashable {
        public var observe: [String] = []
        public var write: [String] = []
        public var admin: [String] = []
    }

    public struct ClientLimits: Sendable, Hashable {
        public var clients = 256
        public var messageBytes = 1 << 20
        public var queuedBytes = 1 << 20
        /// Seconds after which an idle connection is closed; 0 never closes one.
        public var idle = 0
    }

    public enum LogTarget: String, Sendable, Hashable, CaseIterable {
        case journal
        case stderr
    }
}

/// A configuration that cannot be used: where, what it was, and what is allowed.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the value, as `history.tracking`.
    public var path: String
    public var message: String
    public var way: String

    public var description: String { "\(path): \(message). \(way)" }
}
