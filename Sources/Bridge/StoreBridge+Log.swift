/// What a person should know of this run.
extension StoreBridge {
    /// Warnings of this run, oldest first: what a person should know.
    public var warnings: [String] { log.warnings }
    /// Alarms since the start: foreign writes that no history tells of, failures of replay.
    public var alarms: [String] { log.alarms }
    /// What happened since the bridge was opened.
    public var counts: BridgeCounts { log.counts }
    /// Sets who is told of each alarm when it is raised, on whatever thread that is; nil ends it.
    public func setAlarmHandler(_ handler: (@Sendable (String) -> Void)?) { log.setAlarmHandler(handler) }
    func alarm(_ text: String) { log.alarm(text) }
    /// Sets who is told of each administrative act, such as a handover, a freeze or a purge, those before included.
    public func setActionHandler(_ handler: (@Sendable (String) -> Void)?) { log.setActionHandler(handler) }
    func tell(_ action: String) { log.tell(action) }
    func noteHolders(_ names: [String]) { log.note(holders: names) }
    /// Times from a commit to its replay into the other stack, in seconds.
    public var staleness: Percentiles { log.staleness }
}
