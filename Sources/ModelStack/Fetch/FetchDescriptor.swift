import Foundation
import StoreFormat

/// What to fetch, in which order.
public struct FetchDescriptor<T: PersistentModel> {
    /// What the objects have to fulfil; nil finds all.
    public var predicate: Predicate<T>?
    /// The order of the results, most important key first.
    public var sortBy: [SortDescriptor<T>]
    /// The greatest number of results; nil is no limit.
    public var fetchLimit: Int?
    /// How many results are left out at the start; nil is none.
    public var fetchOffset: Int?
    /// Whether what is not saved yet counts.
    public var includePendingChanges = true
    /// A hint; all values come in any case.
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// A hint; related objects come when they are asked for.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    /// Makes a descriptor without limit and offset.
    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
