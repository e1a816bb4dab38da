import StoreFormat

/// An object by its table and key.
struct RowKey: Sendable, Hashable {
    /// The root entity, as an index into `Schema.entities`.
    var root: Int
    var key: Int64
}

/// What other instances changed, combined by object.
struct RemoteChanges: Sendable {
    struct Change: Sendable {
        var entity: Int
        var kind: HistoryChange.Kind
        var timestamp: Double
    }

    var objects: [RowKey: Change] = [:]
    /// Root entities of which every row is to be read anew.
    var droppedRoots: Set<Int> = []

    var isEmpty: Bool { objects.isEmpty && droppedRoots.isEmpty }

    mutating func add(_ key: RowKey, entity: Int, _ kind: HistoryChange.Kind, timestamp: Double) {
        // An insertion that is updated later stays one for those who have not seen it; a deletion ends it.
        if kind == .update, let known = objects[key], known.kind == .insert {
            objects[key]?.timestamp = timestamp
        } else {
            objects[key] = Change(entity: entity, kind: kind, timestamp: timestamp)
        }
    }

    mutating func merge(_ other: RemoteChanges) {
        for (key, change) in other.objects { add(key, entity: change.entity, change.kind, timestamp: change.timestamp) }
        droppedRoots.formUnion(other.droppedRoots)
        guard objects.count > HistoryReplay.waitingChanges else { return }
        droppedRoots.formUnion(objects.keys.lazy.map(\.root))
        objects = [:]
    }
}
