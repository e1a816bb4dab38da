import Foundation
import StoreFormat
import Varlink

/// `stop`, and with `--wait` until the daemon has let go of the store.
enum StopCommand {
    static func run(_ arguments: Arguments, _ output: Output, _ client: DaemonClient) throws -> Int32 {
        let daemon = arguments.has("wait") ? try RunningStore(client.call("Status")) : nil
        _ = try client.call("Stop")
        while daemon?.isInUse == true { usleep(20_000) }
        if output.isJSON {
            output.json([:])
        } else {
            output.line(daemon == nil ? "stopping" : "stopped: the store's lock is given back")
        }
        return 0
    }

    /// The store that a daemon has, as seen by a client beside it.
    private struct RunningStore {
        private let path: String
        private let process: Int32
        private let hasLock: Bool

        /// - Throws: `CommandFailure` where neither the lock nor the process can be seen.
        init(_ status: JSONObject) throws {
            path = status["store"]?["path"]?.stringValue ?? ""
            process = Int32(clamping: status["pid"]?.intValue ?? 0)
            hasLock = StoreLock.holder(of: path) == process
            guard hasLock || Self.isAlive(process) else {
                throw CommandFailure(
                    exitCode: 1, code: "Refused",
                    message: "neither the lock of \(path) nor the daemon's process \(process) can be seen from here",
                    way: "stop it without --wait, or run the command beside the daemon, as a user who may read the lock"
                )
            }
        }

        /// The next daemon's lock is not this one's.
        var isInUse: Bool {
            guard hasLock else { return Self.isAlive(process) }
            return StoreLock.isHeld(storePath: path) && StoreLock.holder(of: path) == process
        }

        private static func isAlive(_ process: Int32) -> Bool {
            process > 0 && (kill(process, 0) == 0 || errno == EPERM)
        }
    }
}
