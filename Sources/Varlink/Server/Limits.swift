/// What a server grants its clients.
public struct Limits: Sendable, Hashable {
    /// The longest message taken, in bytes.
    public var messageBytes = 1 << 20
    /// How deeply a message's arrays and objects may be nested.
    public var depth = JSON.defaultMaximumDepth
    /// Connections in all.
    public var clients = 256
    /// Connections of one user.
    public var clientsPerUser = 32
    /// Calls read ahead on one connection while one is being answered.
    public var pipelinedCalls = 16
    /// Bytes of replies that may wait for a client to read. A stream that exceeds it is closed.
    public var queuedBytes = 1 << 20
    /// The time to complete a message that was begun.
    public var messageTime: Duration = .seconds(10)
    /// The time within which a client must read something of what waits for it.
    public var stallTime: Duration = .seconds(30)
    /// The same once the server stops: who does not even take the last replies is not waited for.
    public var farewellTime: Duration = .seconds(1)
    /// The time after which a connection without a call is closed; nil for never.
    public var idleTime: Duration?

    /// The defaults.
    public init() {}
}
