/// What a server tells its observer, for logs.
public enum ServerEvent: Sendable {
    /// A client connected.
    case connected(connection: UInt64, Peer)
    /// A connection ended.
    case closed(connection: UInt64, Peer, CloseReason)
    /// A client was turned away because there are too many, in all or of its user.
    case refused(Peer)
    /// A connection could not be accepted.
    case acceptFailed(SystemError)
}
