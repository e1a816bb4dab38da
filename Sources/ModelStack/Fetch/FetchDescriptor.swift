import Foundation
import StoreFormat

/// What to fetch, in which order.
public struct FetchDescriptor<T: PersistentModel> {
    public var predicate: Predicate<T>?
    public var sortBy: [SortDescriptor<T>]
    public var fetchLimit: Int?
    public var fetchOffset: Int?
    /// Whether what is not saved yet counts.
    public var includePendingChanges = true
    /// A hint; all values come in any case.
    public var propertiesToFetch: [PartialKeyPath<T>] = []
    /// A hint; related objects come when they are asked for.
    public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

    public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
        self.predicate = predicate
        self.sortBy = sortBy
    }
}
