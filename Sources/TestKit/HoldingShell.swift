import Foundation

/// The `sqlite3` shell inside a transaction: a program that is none of ours and has one of a database's locks.
public final class HoldingShell {
    private let process = Process()
    private let input = Pipe()

    /// Starts the shell, and returns when it has the write lock, or what the SQL takes.
    /// - Parameters:
    ///   - sql: begins a transaction, and prints a line when it is there.
    ///   - answer: that line.
    /// - Throws: `Programs.Missing` where there is no shell, `NoLock` where it does not get the lock.
    public init(
        _ path: String, _ sql: String = "BEGIN IMMEDIATE; SELECT 'held';", answer: String = "held"
    ) throws {
        guard let program = Programs.find("sqlite3") else { throw Programs.Missing(name: "sqlite3") }
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["-batch", path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data("\(sql)\n".utf8))
        guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "\(answer)\n" else {
            throw NoLock()
        }
    }

    deinit {
        kill()
    }

    /// The shell did not get the lock.
    public struct NoLock: Error {}

    /// The shell's process number.
    public var processIdentifier: Int32 { process.processIdentifier }

    /// Stops the process where it is, and waits until it is stopped.
    public func stop() {
        Foundation.kill(processIdentifier, SIGSTOP)
        var info = siginfo_t()
        while waitid(P_PID, id_t(processIdentifier), &info, WSTOPPED | WNOWAIT) != 0, errno == EINTR {}
    }

    /// Has the shell roll back and end, and waits.
    public func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Ends it with SIGKILL, stopped or not, and waits.
    public func kill() {
        guard process.isRunning else { return }
        Foundation.kill(processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
