import Foundation

/// How one state of results becomes another: applied at once, deletions and moves' origins by the old places, insertions
/// and moves' targets by the new ones, the rest keeps its order.
struct ResultsDifference {
    struct Change {
        let type: NSFetchedResultsChangeType
        let object: NSManagedObject
        let from: IndexPath?
        let to: IndexPath?
    }

    private(set) var changes: [Change] = []

    init(from old: SectionedResults, to new: SectionedResults, updated: Set<RowKey>) {
        for object in old.objects where new.indexPath(of: object) == nil {
            changes.append(Change(type: .delete, object: object, from: old.indexPath(of: object), to: nil))
        }
        var later: [Change] = []
        let kept = new.objects.filter { old.indexPath(of: $0) != nil }
        let places = Dictionary(uniqueKeysWithValues: old.objects.enumerated().map { (ObjectIdentifier($1), $0) })
        let steady = Self.ascending(kept.map { places[ObjectIdentifier($0)] ?? 0 })
        for (i, object) in kept.enumerated() {
            guard let from = old.indexPath(of: object), let to = new.indexPath(of: object) else { continue }
            let sameSection = old.sections[from.section].name == new.sections[to.section].name
            if steady.contains(i), sameSection {
                if updated.contains(object.id.rowKey) {
                    changes.append(Change(type: .update, object: object, from: from, to: to))
                }
            } else if from == to {
                // Others moved around it. A move onto its own place would say nothing.
                changes.append(Change(type: .delete, object: object, from: from, to: nil))
                later.append(Change(type: .insert, object: object, from: nil, to: to))
            } else {
                later.append(Change(type: .move, object: object, from: from, to: to))
            }
        }
        for object in new.objects where old.indexPath(of: object) == nil {
            later.append(Change(type: .insert, object: object, from: nil, to: new.indexPath(of: object)))
        }
        changes += later
    }

    /// The indexes of a longest ascending subsequence: what need not move.
    private static func ascending(_ values: [Int]) -> Set<Int> {
        var tails: [Int] = []
        var previous = [Int](repeating: -1, count: values.count)
        for (i, value) in values.enumerated() {
            var (low, high) = (0, tails.count)
            while low < high {
                let middle = (low + high) / 2
                if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
            }
            previous[i] = low > 0 ? tails[low - 1] : -1
            if low == tails.count { tails.append(i) } else { tails[low] = i }
        }
        var result: Set<Int> = []
        var next = tails.last ?? -1
        while next >= 0 {
            result.insert(next)
            next = previous[next]
        }
        return result
    }
}
