import Foundation
import StoreFormat

/// A worker's process, as the supervisor sees it.
final class WorkerProcess {
    let name: WorkerName
    let stack: StackName
    let logPath: String
    private let process = Process()
    private let input = Pipe()
    /// Whether the supervisor killed it.
    private(set) var wasKilled = false

    init(_ name: WorkerName, _ stack: StackName, store: String, folder: String, fault: Soak.Fault?) throws {
        self.name = name
        self.stack = stack
        logPath = "\(folder)/worker-\(name.text).log"
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["worker", store, stack.rawValue, name.text, logPath, fault?.rawValue ?? "-"]
        process.standardInput = input
        try process.run()
    }

    /// Whether it ended, and nobody asked it to.
    var hasFailed: Bool { !process.isRunning && !wasKilled }
    var exitCode: Int32 { process.terminationStatus }

    func tellToEnd() {
        try? input.fileHandleForWriting.close()
    }

    /// - Returns: whether it ended within the time.
    func waitForEnd(seconds: Double) -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while process.isRunning {
            guard .now < deadline else { return false }
            usleep(10_000)
        }
        process.waitUntilExit()
        return true
    }

    func killNow() {
        wasKilled = true
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func stop() { kill(process.processIdentifier, SIGSTOP) }
    func resume() { kill(process.processIdentifier, SIGCONT) }
}
