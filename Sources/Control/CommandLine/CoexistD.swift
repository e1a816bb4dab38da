import Foundation
import StoreFormat
import Varlink

/// The program `coexistd`.
public enum CoexistD {
    private static let usage = "coexistd --config FILE | --store STORE [--model MODEL] [--socket PATH]"

    /// Runs the daemon until it is stopped.
    /// - Returns: the exit code.
    public static func run(_ arguments: [String]) -> Int32 {
        let signals = SignalWaiter()
        let output = Output(isJSON: false)
        defer { output.flush() }
        do {
            return try run(Array(arguments.dropFirst()), signals, output)
        } catch {
            // Whose rights are missing here are the daemon's own, at the store.
            let code = (error as? StoreError)?.code
            let failure = CommandFailure(error, opening: code == .accessDenied || code == .readOnly)
            output.fail(failure, program: "coexistd")
            return failure.exitCode
        }
    }

    private static func run(_ words: [String], _ signals: SignalWaiter, _ output: Output) throws -> Int32 {
        if words.contains("--help") || words.contains("-h") {
            output.lines("usage: \(usage)\n       coexistd --check-config FILE\n")
            output.table([
                ["options", "", ""],
                ["  --config FILE", "the configuration", "default: none: it or --store must be given"],
                ["  --store STORE", "the store, with the configuration's defaults", "default: the configuration's"],
                ["  --model MODEL", "the model to read the store by", "default: the one inside the store"],
                [
                    "  --socket PATH", "where to listen",
                    "default: the configuration's, else \(Configuration.defaultSocket)",
                ],
                ["  --check-config FILE", "prints the effective values, and serves nothing", "default: off"],
                ["  --version", "prints the version", "default: off"],
            ])
            return 0
        }
        if words.contains("--version") {
            output.line("coexistd \(CoexistVersion.text)")
            return 0
        }
        let form = Arguments.Form(
            flags: [], options: ["config", "check-config", "store", "model", "socket"], operands: 0...0)
        let arguments = try Arguments(words, form: form, usage: usage)
        if let file = arguments.value("check-config") {
            let configuration = try Configuration(file: file)
            if let unknown = AccessPolicy(access: configuration.access).unknownNames().first {
                throw ConfigurationError(
                    path: unknown.path, message: "there is no \(unknown.what) on this system",
                    way: "correct or make it: whoever is meant may do nothing")
            }
            try configuration.checkOwnership()
            output.lines(configuration.json.text(.pretty))
            return 0
        }
        let (configuration, reread) = try configuration(arguments)
        let daemon = try Daemon(configuration, signals: signals, reread: reread)
        daemon.run()
        return 0
    }

    private static func configuration(
        _ arguments: Arguments
    ) throws -> (Configuration, (@Sendable () throws -> Configuration)?) {
        let socket = arguments.value("socket").map(absolute)
        if let file = arguments.value("config") {
            guard arguments.value("store") == nil, arguments.value("model") == nil else {
                throw CommandFailure.usage("--config and --store exclude each other", "usage: \(usage)")
            }
            let path = absolute(file)
            let read: @Sendable () throws -> Configuration = {
                var configuration = try Configuration(file: path)
                if let socket { configuration.socket = socket }
                return configuration
            }
            return (try read(), read)
        }
        guard let store = arguments.value("store") else {
            throw CommandFailure.usage("neither a configuration nor a store is given", "usage: \(usage)")
        }
        var configuration = Configuration(store: absolute(store), socket: socket ?? Configuration.defaultSocket)
        configuration.model = arguments.value("model").map(absolute)
        return (configuration, nil)
    }

    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/")
            ? path
            : URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
                .appendingPathComponent(path).standardizedFileURL.path
    }
}
