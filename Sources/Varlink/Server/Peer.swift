import CEpoll
import Glibc

/// Who is at the other end of a connection, as the kernel recorded it at connect time.
public struct Peer: Sendable, Hashable {
    /// The process. For information only: the number may have been reused since.
    public var pid: Int32
    /// The effective user.
    public var uid: UInt32
    /// The effective group.
    public var gid: UInt32
    /// The supplementary groups; empty where the kernel does not tell.
    public var groups: [UInt32]

    /// A peer.
    public init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Whether the peer is in a group, by its effective or a supplementary one.
    public func isMember(ofGroup group: UInt32) -> Bool {
        gid == group || groups.contains(group)
    }

    /// Reads the credentials of a connected Unix socket (SO_PEERCRED, SO_PEERGROUPS); nil where there are none.
    init?(socket: Int32) {
        var credentials = coexist_ucred()
        var length = socklen_t(MemoryLayout<coexist_ucred>.size)
        guard getsockopt(socket, SOL_SOCKET, COEXIST_SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        self.init(
            pid: credentials.pid, uid: credentials.uid, gid: credentials.gid, groups: Self.groups(of: socket))
    }

    private static func groups(of socket: Int32) -> [UInt32] {
        var groups = [UInt32](repeating: 0, count: 64)
        var length = socklen_t(groups.count * MemoryLayout<UInt32>.stride)
        var result = getsockopt(socket, SOL_SOCKET, COEXIST_SO_PEERGROUPS, &groups, &length)
        if result != 0, errno == ERANGE {
            // The kernel has set the length that it needs.
            groups = [UInt32](repeating: 0, count: Int(length) / MemoryLayout<UInt32>.stride)
            result = getsockopt(socket, SOL_SOCKET, COEXIST_SO_PEERGROUPS, &groups, &length)
        }
        guard result == 0 else { return [] }
        return Array(groups.prefix(Int(length) / MemoryLayout<UInt32>.stride))
    }
}
