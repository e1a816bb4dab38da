import Foundation

/// The programs of this package as the tests' build made them, and others that tests need.
public enum Programs {
    /// The folder that the running test bundle was built into.
    public static let folder: String =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path

    /// The path of the daemon.
    public static let coexistd = folder + "/coexistd"
    /// The path of the control program.
    public static let coexistctl = folder + "/coexistctl"

    /// The path of the program that ends itself in the middle of a handover, or of a forwarded delete.
    public static let coexistFault = folder + "/coexist-fault"

    /// The path of a program on PATH, or nil.
    public static func find(_ name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// What a program printed and how it ended.
    public struct Result: Sendable {
        /// The exit code, or the signal's number where a signal ended the program.
        public var exitCode: Int32
        /// What came on standard output.
        public var output: String
        /// What came on standard error.
        public var errors: String

        /// The lines of the output, without empty ones.
        public var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    /// Runs a program to its end.
    @discardableResult
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], input: String? = nil
    ) throws -> Result {
        // Output goes to files: a pipe that fills up would stop the program.
        let folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        for name in ["out", "err"] { try Data().write(to: URL(fileURLWithPath: folder.file(name))) }
        process.standardOutput = FileHandle(forWritingAtPath: folder.file("out"))
        process.standardError = FileHandle(forWritingAtPath: folder.file("err"))
        if let input {
            try Data(input.utf8).write(to: URL(fileURLWithPath: folder.file("in")))
            process.standardInput = FileHandle(forReadingAtPath: folder.file("in"))
        } else {
            process.standardInput = FileHandle.nullDevice
        }
        try process.run()
        process.waitUntilExit()
        func text(_ name: String) -> String {
            String(decoding: FileManager.default.contents(atPath: folder.file(name)) ?? Data(), as: UTF8.self)
        }
        return Result(exitCode: process.terminationStatus, output: text("out"), errors: text("err"))
    }

    /// Runs `coexistctl`.
    public static func ctl(_ arguments: String..., socket: String? = nil) throws -> Result {
        try run(coexistctl, arguments, environment: socket.map { ["COEXIST_SOCKET": $0] } ?? [:])
    }

    /// Runs SQL in the `sqlite3` shell: a program that is none of ours.
    ///
    /// It waits for locks: a connection that closes holds the file for a moment, as it looks whether it is the last.
    public static func sqlite3(_ path: String, _ sql: String) throws -> Result {
        guard let program = find("sqlite3") else { throw Missing(name: "sqlite3") }
        return try run(program, ["-batch", "-cmd", ".timeout 10000", path, sql])
    }

    /// A program that is not installed.
    public struct Missing: Error, CustomStringConvertible {
        /// The program's name, as it was looked for on PATH.
        public var name: String

        /// What is missing, and how to install it.
        public var description: String { "\(name) is not installed: `make test` installs it" }
    }
}
