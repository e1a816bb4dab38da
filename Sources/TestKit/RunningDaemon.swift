import Foundation
import Varlink

/// A `coexistd` of its own for one test, on a private socket; ended when the test lets go of it.
public final class RunningDaemon {
    /// The path of the daemon's control socket.
    public let socket: String
    /// The socket that takes the messages the daemon sends by sd_notify.
    public let notify: NotifySocket
    private let process = Process()
    private let log: String

    /// Starts the daemon and waits until it says that it is ready.
    /// - Throws: `NotReady` with its messages if it ends before.
    public init(_ arguments: [String], folder: TemporaryFolder, environment: [String: String] = [:]) throws {
        let name = UUID().uuidString.prefix(8)
        socket = folder.file("\(name).sock")
        log = folder.file("\(name).log")
        notify = try NotifySocket(path: folder.file("\(name).notify"))
        try Data().write(to: URL(fileURLWithPath: log))
        process.executableURL = URL(fileURLWithPath: Programs.coexistd)
        process.arguments = arguments + ["--socket", socket]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["NOTIFY_SOCKET": notify.path]) { _, new in new }.merging(environment) { _, new in new }
        let output = FileHandle(forWritingAtPath: log)
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        // A daemon that ends says nothing more: look whether it lives whenever a while passes without a message.
        while true {
            if let fields = notify.receive(within: 1) {
                if fields["READY"] == "1" { return }
            } else if !process.isRunning {
                throw NotReady(exitCode: process.terminationStatus, messages: messages)
            }
        }
    }

    /// Starts a daemon on a store.
    public convenience init(store: String, folder: TemporaryFolder) throws {
        try self.init(["--store", store], folder: folder)
    }

    deinit {
        if process.isRunning { kill() }
    }

    /// A daemon that ended before it said that it was ready.
    public struct NotReady: Error, CustomStringConvertible {
        /// How the daemon ended.
        public var exitCode: Int32
        /// What the daemon printed until then.
        public var messages: String

        /// How the daemon ended and what it printed, in one text.
        public var description: String { "coexistd ended with \(exitCode): \(messages)" }
    }

    /// The daemon's process number.
    public var processIdentifier: Int32 { process.processIdentifier }

    /// What the daemon printed so far.
    public var messages: String {
        String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
    }

    /// Ends it with SIGTERM, and waits.
    /// - Returns: its exit code.
    @discardableResult
    public func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Waits until it has ended by itself.
    @discardableResult
    public func waitUntilEnd() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// Ends it with SIGKILL, and waits.
    public func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Sends a signal.
    public func signal(_ number: Int32) {
        Foundation.kill(process.processIdentifier, number)
    }

    /// Runs `coexistctl` against this daemon.
    public func ctl(_ arguments: String...) throws -> Programs.Result {
        try Programs.run(Programs.coexistctl, arguments, environment: ["COEXIST_SOCKET": socket])
    }

    /// Runs `coexistctl … --json` and reads what it prints: one value a line.
    public func json(_ arguments: String...) throws -> [JSON] {
        let result = try Programs.run(
            Programs.coexistctl, arguments + ["--json"], environment: ["COEXIST_SOCKET": socket])
        return try result.lines.map { try JSON(parsing: $0) }
    }

    /// A client of its own.
    public func client() throws -> Client { try Client(socket) }
}
