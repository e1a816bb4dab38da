import SQLite
import StoreModel

/// Sorts objects in memory as SQL sorts their rows.
struct MemorySort {
    let keys: [FetchPlan.Sort]

    init(_ keys: [FetchPlan.Sort]) {
        self.keys = keys
    }

    /// The values that an object is sorted by.
    func values(_ object: NSManagedObject) -> [SQLValue] {
        let evaluator = PredicateEvaluator(subject: .object(object))
        return keys.map { key in
            let value = evaluator.value(.keyPath(key.path.split(separator: ".").map(String.init)))
            if case .object(let object) = value { return .integer(object.id.key) }
            let column = value.column(like: nil) ?? .null
            if key.isCaseInsensitive, case .text(let text) = column {
                return .text(TextMatch.fold(text, .caseInsensitive))
            }
            return column
        }
    }

    /// The objects in order; new ones after saved ones where all keys are equal.
    func sorted(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        let valued = objects.map { (object: $0, values: values($0)) }
        return valued.sorted { precedes($0.values, $0.object, $1.values, $1.object) }.map(\.object)
    }

    func precedes(_ a: [SQLValue], _ x: NSManagedObject, _ b: [SQLValue], _ y: NSManagedObject) -> Bool {
        for (i, key) in keys.enumerated() {
            switch SQLValue.compare(a[i], b[i]) {
            case .orderedAscending: return key.isAscending
            case .orderedDescending: return !key.isAscending
            case .orderedSame: continue
            }
        }
        let (p, q) = (x.id.key, y.id.key)
        // Temporary keys count down from -1.
        if (p > 0) != (q > 0) { return p > 0 }
        return p > 0 ? p < q : p > q
    }
}
