import Bridge
import Foundation
import SQLite
import StoreFormat
import StoreModel
import Synchronization
import Systemd
import Varlink

/// One running daemon: a bridge, its control socket, and the signals that end it.
public final class Daemon: Sendable {
    private let configuration: Mutex<Configuration>
    private let reread: (@Sendable () throws -> Configuration)?
    private let log: Log
    private let notifier = Notifier()
    private let bridge: StoreBridge
    private let signals: SignalWaiter
    private let server: Mutex<Server?> = Mutex(nil)
    private let service: Mutex<ControlService?> = Mutex(nil)
    private let metrics: Mutex<MetricsFile?> = Mutex(nil)

    /// Opens the store and starts to serve.
    /// - Parameters:
    ///   - reread: reads the configuration anew for a reload; nil where there is no file.
    ///   - signals: must have been made before any other thread.
    /// - Throws: `StoreError`, `ConfigurationError`, `ListenerError`.
    public init(
        _ configuration: Configuration, signals: SignalWaiter, reread: (@Sendable () throws -> Configuration)? = nil
    ) throws {
        try configuration.checkPaths()
        self.configuration = Mutex(configuration)
        self.reread = reread
        self.signals = signals
        log = Log(
            level: configuration.logLevel, target: configuration.logTarget == .journal ? .journal : .standardError)
        notifier.status("opening \(configuration.store)")
        // The socket comes first: a daemon that cannot serve must not adopt.
        let listener = try Self.listen(configuration)
        do {
            bridge = try StoreBridge(path: configuration.store, options: try Self.options(configuration))
        } catch {
            listener.stop()
            throw error
        }
        if let backup = bridge.adoptionBackup {
            log(.notice, "the store was adopted; its backup from before is \(backup)")
        }
        for warning in bridge.warnings { log(.warning, warning) }
        bridge.setActionHandler { [log] in log(.notice, $0) }
        for unknown in AccessPolicy(access: configuration.access).unknownNames() {
            log(.warning, "\(unknown.path) names what is not there: there is no \(unknown.what) on this system")
        }
        bridge.setProblemHandler { [log, notifier] problem in
            log(.error, "the store is not written any more: \(problem)")
            notifier.status("degraded: \(problem.message)")
        }
        for alarm in bridge.alarms { log(.error, alarm) }
        bridge.setAlarmHandler { [log] in log(.error, $0) }
        do {
            try serve(configuration, listener)
        } catch {
            listener.stop()
            bridge.close()
            throw error
        }
    }

    private static func options(_ configuration: Configuration) throws -> BridgeOptions {
        var options = BridgeOptions(
            seed: configuration.ownership, guardMode: configuration.guardMode, durability: configuration.durability,
            isTracking: configuration.history.isTracking, readers: configuration.readers.count,
            legacyCacheObjects: configuration.cache.legacy, modelCacheObjects: configuration.cache.model,
            maximumLogBytes: configuration.maximumLogBytes)
        options.readerAge = ReaderAge(maximum: .seconds(configuration.readers.maximumAge))
        options.forwardsDeletes = configuration.crossStackDeletes == .forward
        options.retention = RetentionPolicy(
            seconds: configuration.history.retention, transactions: configuration.history.maximumTransactions,
            expiresConsumers: configuration.history.slowConsumer == .expire)
        if let path = configuration.model {
            let loaded = try StoreModels.load(path, for: configuration.store)
            options.model = loaded.model
            options.modelSource = loaded.sourceDescription
        }
        return options
    }

    private static func listen(_ configuration: Configuration) throws -> Listener {
        let inherited = SocketActivation.inherited(unsetEnvironment: false)
        if let socket = SocketActivation.pick(named: "varlink", from: inherited) {
            return try Listener(inherited: socket.descriptor)
        }
        return try Listener(path: configuration.socket, mode: 0o660)
    }

    private func serve(_ configuration: Configuration, _ listener: Listener) throws {
        var limits = Limits()
        limits.clients = configuration.limits.clients
        limits.clientsPerUser = configuration.limits.clients
        limits.messageBytes = configuration.limits.messageBytes
        limits.queuedBytes = configuration.limits.queuedBytes
        limits.idleTime = configuration.limits.idle > 0 ? .seconds(configuration.limits.idle) : nil
        limits.stallTime = .seconds(configuration.limits.stall)
        let description = Service(
            vendor: "Coexist", product: "coexistd", version: CoexistVersion.text, url: "",
            interfaces: [try ControlInterface.description()])
        let service = ControlService(
            bridge: bridge, access: configuration.access, log: log,
            clients: { [weak self] in self?.server.withLock { $0?.statistics.clients } ?? 0 },
            reload: { [weak self] in try self?.reload(by: $0) ?? [] }, stop: { [signals] in signals.raise(.terminate) })
        let server = try Server(
            service: description, listeners: [listener], limits: limits,
            objection: { ErrorReply.of($0) }, handler: { service.handle($0) })
        self.server.withLock { $0 = server }
        self.service.withLock { $0 = service }
        if let path = configuration.metricsFile {
            let file = MetricsFile(
                path: path, text: { try service.metrics() }, complain: { [log] in log(.warning, $0) })
            metrics.withLock { $0 = file }
            file.start()
        }
        if configuration.model != nil { log(.info, "the store is read by \(bridge.store.modelOrigin)") }
        log(.info, "serving \(bridge.store.path) on \(listener.path ?? "an inherited socket")")
    }

    /// Says that it is ready, and serves until a signal or a Stop call ends it.
    public func run() {
        notifier.ready(status: serving)
        let watchdog = startWatchdog()
        loop: while true {
            switch signals.wait() {
            case .terminate: break loop
            case .reload:
                notifier.reloading(status: "reloading the configuration")
                do {
                    _ = try reload(by: "SIGHUP")
                } catch { log(.error, "the configuration was not reloaded: \(error)") }
                notifier.ready(status: serving)
            }
        }
        stop()
        withExtendedLifetime(watchdog) {}
    }

    /// What the service manager shows of a daemon that is ready.
    private var serving: String {
        bridge.problem.map { "degraded: \($0.message)" } ?? "serving \(bridge.store.path)"
    }

    /// Running saves finish, clients are told, the log goes into the store.
    private func stop() {
        notifier.stopping(status: "finishing what is running")
        log(.info, "stopping")
        let server = self.server.withLock { $0 }
        server?.stop(within: .seconds(10)) { _ in
            Reply(
                error: "\(ControlInterface.name).Stopping",
                ["message": "the daemon stops", "way": "connect again when it is back", "objects": []])
        }
        server?.waitUntilStopped()
        if self.service.withLock({ $0 })?.drain(seconds: 30) == false {
            log(.warning, "a request did not end within 30 s")
        }
        metrics.withLock { $0?.stop() }
        for problem in bridge.close() { log(.warning, problem) }
        log(.info, "stopped")
    }

    /// Reads the configuration anew and takes over what can change while the daemon runs.
    /// - Parameter user: who asks for it, for the log.
    /// - Returns: what changed.
    /// - Throws: `ConfigurationError` or `StoreError` for what cannot; then nothing changes.
    private func reload(by user: String) throws -> [String] {
        let changed = try takeOver(by: user)
        log(
            .notice,
            changed.isEmpty
                ? "reloaded, by \(user): nothing changed" : "reloaded, by \(user): \(changed.joined(separator: ", "))")
        return changed
    }

    private func takeOver(by user: String) throws -> [String] {
        if let problem = bridge.problem {
            throw StoreError(
                problem.code,
                "the configuration was not reloaded, since the store is not written any more: \(problem.message)",
                way: "\(problem.way). Then restart the daemon: a reload does not open the store anew")
        }
        guard let reread else {
            throw ConfigurationError(
                path: "(command line)", message: "the daemon was started without a configuration file",
                way: "start it with --config FILE")
        }
        let fresh = try reread()
        let current = configuration.withLock { $0 }
        let fixed: [(String, Bool)] = [
            ("store", fresh.store == current.store), ("model", fresh.model == current.model),
            ("socket", fresh.socket == current.socket), ("durability", fresh.durability == current.durability),
            ("history", fresh.history == current.history), ("readers", fresh.readers == current.readers),
            ("cache", fresh.cache == current.cache), ("limits", fresh.limits == current.limits),
            ("access", fresh.access == current.access),
            ("log", fresh.logLevel == current.logLevel && fresh.logTarget == current.logTarget),
            ("wal", fresh.maximumLogBytes == current.maximumLogBytes),
            ("metricsFile", fresh.metricsFile == current.metricsFile),
        ]
        let refused = fixed.filter { !$0.1 }.map(\.0)
        guard refused.isEmpty else {
            throw ConfigurationError(
                path: refused.joined(separator: ", "), message: "this cannot change while the daemon runs",
                way: "restart the daemon")
        }
        if fresh.ownership.defaultOwner != current.ownership.defaultOwner, try bridge.register() != nil {
            throw ConfigurationError(
                path: "ownership.default", message: "every entity of the adopted store has an owner already",
                way: "leave it \"\(current.ownership.defaultOwner.rawValue)\", and use `coexistctl handover`")
        }
        try bridge.checkSeed(fresh.ownership)
        var changed: [String] = []
        if fresh.guardMode != current.guardMode {
            try bridge.setGuard(fresh.guardMode, user: user)
            changed.append("guard")
        } else if bridge.mendGuard() {
            changed.append("guard")
        }
        if fresh.crossStackDeletes != current.crossStackDeletes {
            bridge.forwardDeletes(fresh.crossStackDeletes == .forward)
            changed.append("crossStackDeletes")
        }
        if fresh.ownership != current.ownership { changed.append("ownership") }
        configuration.withLock { $0 = fresh }
        return changed
    }

    /// Pings the service manager's watchdog, from a thread that first proves that the server's loop turns and that the
    /// store can be read: a timer alone would hide a daemon that is stuck.
    private func startWatchdog() -> Thread? {
        guard let interval = Watchdog.interval else { return nil }
        let seconds = Double(interval.components.seconds) + Double(interval.components.attoseconds) / 1e18
        let thread = Thread { [weak self] in
            while let self, !self.signals.isEnding {
                let turns = self.server.withLock { $0 }?.turns(within: interval) ?? false
                // A store that is in trouble is served as far as it goes: to be restarted would not help.
                if turns, self.bridge.problem != nil || (try? self.bridge.lastTransaction()) != nil {
                    self.notifier.watchdog()
                }
                Thread.sleep(forTimeInterval: seconds)
            }
        }
        thread.name = "coexist-watchdog"
        thread.start()
        return thread
    }
}
