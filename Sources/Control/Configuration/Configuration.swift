import Bridge
import Foundation
import StoreFormat
import Systemd
import Varlink

/// The daemon's configuration, with every default filled in.
public struct Configuration: Sendable, Hashable {
    /// The path of the store file.
    public var store: String
    /// The model to read the store by; nil takes the store's own.
    public var model: String?
    /// The path of the socket that the daemon listens on.
    public var socket: String
    /// Who owns which entities, for a store that is adopted at the start.
    public var ownership = OwnershipSeed()
    /// How the store is kept from being written by other programs.
    public var guardMode = GuardMode.always
    /// What becomes of a delete whose rules reach the other owner's rows.
    public var crossStackDeletes = CrossStackDeletes.refuse
    /// Whether history is written, and how long it is to be kept.
    public var history = History()
    /// How far a commit has got when a save returns.
    public var durability = StoreConnector.Durability.full
    /// The connections that read.
    public var readers = Readers()
    /// The sizes of the stacks' row caches.
    public var cache = Cache()
    /// Above this size, in bytes, the WAL is moved into the store.
    public var maximumLogBytes = 64 << 20
    /// Who may do what over the socket.
    public var access = Access()
    /// What the daemon grants its clients.
    public var limits = ClientLimits()
    /// How much is logged.
    public var logLevel = LogLevel.info
    /// Where log records go.
    public var logTarget = LogTarget.stderr
    /// Where metrics are written as OpenMetrics text; nil writes none.
    public var metricsFile: String?
    /// The file that the configuration was read from; nil where there was none.
    public var source: String?

    /// The socket's path where the configuration names none.
    public static let defaultSocket = "/run/coexistd/org.coexistd.control"

    /// Makes a configuration with the defaults for everything else.
    public init(store: String, socket: String = defaultSocket) {
        self.store = store
        self.socket = socket
    }

    /// What to do with deletes whose rules reach the other owner's rows.
    public enum CrossStackDeletes: String, Sendable, Hashable, CaseIterable {
        case refuse
        case forward
    }

    /// Settings of the store's history.
    public struct History: Sendable, Hashable {
        /// Whether saves write history; off opens the store read-only.
        public var isTracking = true
        /// Seconds that history is kept; nil keeps it.
        public var retention: Int?
        /// Transactions that history keeps at most; nil for no limit.
        public var maximumTransactions: Int?
        /// What becomes of history that a slow reader has not had yet.
        public var slowConsumer = SlowConsumer.hold

        /// Whether history waits for a durable reader that falls behind, or gives it up.
        public enum SlowConsumer: String, Sendable, Hashable, CaseIterable {
            case hold
            case expire
        }
    }

    /// Settings of the connections that read.
    public struct Readers: Sendable, Hashable {
        /// Connections that read for each stack.
        public var count = 2
        /// Seconds after which a reader that keeps the log from being moved is ended.
        public var maximumAge = 60
    }

    /// Sizes of the row caches.
    public struct Cache: Sendable, Hashable {
        /// Rows a stack keeps at most.
        public var legacy = 100_000
        /// Rows that the model stack keeps at most.
        public var model = 100_000
    }

    /// Users and groups (as `@group`) by role; root and the daemon's own user may do everything.
    public struct Access: Sendable, Hashable {
        /// Who may read: status, objects, history and checks.
        public var observe: [String] = []
        /// Who may also insert, update and delete objects.
        public var write: [String] = []
        /// Who may also hand over, freeze, back up, reload and stop.
        public var admin: [String] = []
    }

    /// What the daemon grants its clients.
    public struct ClientLimits: Sendable, Hashable {
        /// Connections at the same time, in all and for one user.
        public var clients = 256
        /// The longest message that is taken, in bytes.
        public var messageBytes = 1 << 20
        /// Bytes of replies that may wait for a client to read; a stream that exceeds it is closed.
        public var queuedBytes = 1 << 20
        /// Seconds after which an idle connection is closed; 0 never closes one.
        public var idle = 0
        /// Seconds after which a client is closed that reads nothing of what waits for it.
        public var stall = 30
    }

    /// Where log records can go: the systemd journal or standard error.
    public enum LogTarget: String, Sendable, Hashable, CaseIterable {
        case journal
        case stderr
    }
}

/// A configuration that cannot be used: where, what it was, and what is allowed.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path of the value, as `history.tracking`.
    public var path: String
    /// What is wrong with the value.
    public var message: String
    /// What is allowed, or what to write instead.
    public var way: String

    /// Path, problem and way out in one line.
    public var description: String { "\(path): \(message). \(way)" }
}
