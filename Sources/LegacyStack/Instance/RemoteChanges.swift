import StoreFormat

/// An object by its table and key.
struct RowKey: Sendable, Hashable {
    /// The root entity, as an index into `Schema.entities`.
    var root: Int
    var key: Int64
}

/// What other instances changed, combined by object.
struct RemoteChanges: Sendable {
    /// The objects that changed, and whether the last change of each deleted it.
    var objects: [RowKey: Bool] = [:]
    /// Root entities of which every row is to be read anew.
    var droppedRoots: Set<Int> = []

    var isEmpty: Bool { objects.isEmpty && droppedRoots.isEmpty }

    mutating func add(_ key: RowKey, isDeleted: Bool) { objects[key] = isDeleted }

    mutating func merge(_ other: RemoteChanges) {
        objects.merge(other.objects) { _, last in last }
        droppedRoots.formUnion(other.droppedRoots)
        guard objects.count > HistoryReplay.waitingChanges else { return }
        droppedRoots.formUnion(objects.keys.lazy.map(\.root))
        objects = [:]
    }
}
