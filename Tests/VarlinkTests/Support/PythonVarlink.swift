import Foundation

/// The Python implementation of Varlink, if it is there: `$VARLINK_PYTHON` or `python3` with the package `varlink`.
enum PythonVarlink {
    struct Installation: Sendable {
        /// The interpreter.
        let python: String
        /// The folder with the certification's script and interface.
        let tests: String
    }

    static let installation: Installation? = {
        let python = ProcessInfo.processInfo.environment["VARLINK_PYTHON"] ?? "python3"
        let code = "import varlink, os; print(os.path.join(os.path.dirname(varlink.__file__), 'tests'))"
        guard let (status, output) = try? run(python, ["-c", code]), status == 0 else { return nil }
        let tests = output.trimmingCharacters(in: .whitespacesAndNewlines)
        guard FileManager.default.fileExists(atPath: tests + "/test_certification.py") else { return nil }
        return Installation(python: python, tests: tests)
    }()

    static func process(_ python: String, _ arguments: [String], output: Pipe) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python] + arguments
        process.standardOutput = output
        process.standardError = output
        return process
    }

    /// Runs Python to its end.
    static func run(_ python: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let pipe = Pipe()
        let process = process(python, arguments, output: pipe)
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
