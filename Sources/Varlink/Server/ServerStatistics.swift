/// What a server has done since its start.
public struct ServerStatistics: Sendable, Hashable {
    /// Connections that are open now.
    public var clients = 0
    /// Connections that were accepted.
    public var accepted = 0
    /// Connections that were turned away because there were too many.
    public var refused = 0
    /// Calls that were read.
    public var calls = 0
    /// Connections that were closed because the client read too slowly or not at all.
    public var closedSlow = 0
    /// Connections that were closed because of a malformed message.
    public var closedMalformed = 0

    /// All zero.
    public init() {}
}
