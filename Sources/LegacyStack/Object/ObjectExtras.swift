import StoreFormat

/// What an object has only in odd cases, kept apart so that the others need no room for it.
final class ObjectExtras {
    /// Where relationships of an object without a context lead, by slot.
    var relations: [Int: [NSManagedObject]] = [:]
    /// Why the object cannot be saved: it was given a value for a property that its entity does not have, or that nobody
    /// can set.
    var refusal: StoreError?
    /// What fetched properties found, by slot.
    var fetched: [Int: [FetchedObject]] = [:]
}
