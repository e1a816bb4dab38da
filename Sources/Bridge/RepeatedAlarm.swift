/// Alarms that can come many times a second, and are then told together.
enum RepeatedAlarm: Hashable {
    case indexRebuilt
    case watcherFailed
    case readerEnded
    case lockTaken
}

/// Alarms of one kind that are told as one.
struct Repetition: Sendable {
    /// The last one's text.
    var text: String
    var times: Int

    var description: String { times == 1 ? text : "\(text) (\(times) times since the last alarm)" }
}

/// Commits that no history tells of, and the entities whose caches were dropped for them: nil for all.
struct ForeignCommits: Sendable {
    var count: Int64
    var entities: Set<String>?

    func adding(_ other: ForeignCommits) -> ForeignCommits {
        var both: Set<String>?
        if let entities, let others = other.entities { both = entities.union(others) }
        return ForeignCommits(count: count &+ other.count, entities: both)
    }

    var text: String {
        let dropped = entities.map { "what was cached of \($0.sorted().joined(separator: ", "))" } ?? "every cache"
        let commits = "\(count) commit\(count == 1 ? "" : "s") by another program that no history tells of"
        return "\(commits): \(dropped) was dropped"
    }
}
