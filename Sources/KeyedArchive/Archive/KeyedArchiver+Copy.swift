import Foundation

extension KeyedArchiver {
    /// Copies an object with all that it reaches from another archive.
    ///
    /// Objects are numbered in the order in which they are reached, so a copy of a copy is the same again.
    public mutating func copy(_ object: ArchivedObject) -> Reference {
        guard let root = object.uid else { return plainCopy(object.node) }
        var places: [UInt64: Reference] = [0: .null, root: reserve()]
        var queue = [root]
        var next = 0
        while next < queue.count {
            let uid = queue[next]
            next += 1
            guard let place = places[uid] else { continue }
            let node = object.archive.objects[Int(uid)]
            let copied = renumber(node, object.archive, &places, &queue)
            replace(place, with: copied)
        }
        return places[root] ?? .null
    }

    private mutating func plainCopy(_ node: PropertyListNode) -> Reference {
        let place = reserve()
        replace(place, with: node)
        return place
    }

    private mutating func renumber(
        _ node: PropertyListNode, _ archive: KeyedArchive, _ places: inout [UInt64: Reference], _ queue: inout [UInt64]
    ) -> PropertyListNode {
        switch node {
        case .uid(let uid):
            guard uid < UInt64(archive.objects.count) else { return Reference.null.node }
            if let place = places[uid] { return place.node }
            let place = reserve()
            places[uid] = place
            queue.append(uid)
            return place.node
        case .array(let elements):
            return .array(elements.map { renumber($0, archive, &places, &queue) })
        case .set(let elements):
            return .set(elements.map { renumber($0, archive, &places, &queue) })
        case .dictionary(let dictionary):
            return .dictionary(
                PropertyListDictionary(
                    dictionary.entries.map { ($0.key, renumber($0.value, archive, &places, &queue)) }))
        case .null:
            return Reference.null.node
        default:
            return node
        }
    }
}

extension ArchivedObject {
    /// The object with all that it reaches, as an archive of its own.
    /// - Throws: ``PropertyListError`` if a field holds what a property list cannot.
    public func extracted() throws(PropertyListError) -> Data {
        var archiver = KeyedArchiver()
        let root = archiver.copy(self)
        return try archiver.archive(root: root)
    }
}
