import CSystemd
import Glibc

/// Sockets passed on at start (sd_listen_fds_with_names(3)).
public enum SocketActivation {
    /// The descriptors that were passed to this process, by `$LISTEN_PID`, `$LISTEN_FDS` and `$LISTEN_FDNAMES`.
    /// - Parameter unsetEnvironment: whether to remove the variables, so that children do not see them and a second
    ///   call returns nothing. Changing the environment is safe only while no other thread reads it.
    public static func inherited(unsetEnvironment: Bool = false) -> [InheritedSocket] {
        var names: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let count = sd_listen_fds_with_names(unsetEnvironment ? 1 : 0, &names)
        defer {
            if let names {
                var next = names
                while let name = next.pointee {
                    free(name)
                    next += 1
                }
                free(names)
            }
        }
        guard count > 0 else { return [] }
        return (0..<Int(count)).map { index in
            let name = names?[index].map { String(cString: $0) }
            // SD_LISTEN_FDS_START, a macro with a cast that Swift does not import.
            return InheritedSocket(descriptor: 3 + Int32(index), name: name ?? "unknown")
        }
    }

    /// The socket to serve on: the first listening Unix stream of that name, else the first of any name.
    public static func pick(named name: String, from sockets: [InheritedSocket]) -> InheritedSocket? {
        let candidates = sockets.filter(\.isListeningUnixStream)
        return candidates.first { $0.name == name } ?? candidates.first
    }
}
