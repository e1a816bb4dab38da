import StoreFormat
import StoreModel

private let caseInsensitive = "caseInsensitiveCompare:"

extension FetchRequestTemplate {
    /// The request as a model stores it.
    init<Result: NSFetchRequestResult>(_ request: NSFetchRequest<Result>, name: String) {
        self.init(
            name: name, entityName: request.entityName ?? "", predicateFormat: request.predicate?.predicateFormat)
        sortDescriptors = (request.sortDescriptors ?? []).compactMap { descriptor in
            descriptor.key.map {
                .init(
                    key: $0, isAscending: descriptor.ascending,
                    selector: descriptor.textOrder == .caseInsensitive ? caseInsensitive : nil)
            }
        }
        (fetchLimit, fetchOffset) = (request.fetchLimit, request.fetchOffset)
        (fetchBatchSize, resultType) = (request.fetchBatchSize, Int(request.resultType.rawValue))
        includesSubentities = request.includesSubentities
        includesPropertyValues = request.includesPropertyValues
        includesPendingChanges = request.includesPendingChanges
        returnsObjectsAsFaults = request.returnsObjectsAsFaults
        returnsDistinctResults = request.returnsDistinctResults
        propertiesToFetch = (request.propertiesToFetch ?? []).compactMap { item in
            ((item as? String) ?? (item as? NSPropertyDescription)?.name).map { .init(name: $0) }
        }
        relationshipKeyPathsForPrefetching = request.relationshipKeyPathsForPrefetching ?? []
    }
}

extension NSFetchRequest {
    /// A stored request as one of its own, to be changed at will.
    static func stored(_ template: FetchRequestTemplate) -> NSFetchRequest {
        let request = NSFetchRequest(entityName: template.entityName)
        request.predicate = template.predicateFormat.map { NSPredicate(format: $0) }
        if !template.propertiesToGroupBy.isEmpty {
            // Without its groups it would give other results than it was stored for.
            request.predicate = NSPredicate(
                node: .constant(false),
                error: StoreError(
                    .badPredicate, "the fetch request \(template.name) groups its results, which is not done here",
                    way: "fetch without groups, and group the results"))
        }
        let sort = template.sortDescriptors.map { sort in
            let isFolding = sort.selector?.lowercased().contains("caseinsensitive") ?? false
            return NSSortDescriptor(
                key: sort.key, ascending: sort.isAscending, textOrder: isFolding ? .caseInsensitive : .literal)
        }
        request.sortDescriptors = sort.isEmpty ? nil : sort
        (request.fetchLimit, request.fetchOffset) = (template.fetchLimit, template.fetchOffset)
        request.fetchBatchSize = template.fetchBatchSize
        request.resultType =
            NSFetchRequestResultType(rawValue: UInt(clamping: template.resultType)) ?? .managedObjectResultType
        request.includesSubentities = template.includesSubentities
        request.includesPropertyValues = template.includesPropertyValues
        request.includesPendingChanges = template.includesPendingChanges
        request.returnsObjectsAsFaults = template.returnsObjectsAsFaults
        request.returnsDistinctResults = template.returnsDistinctResults
        let fetched = template.propertiesToFetch.map { $0.expressionFormat ?? $0.name }
        request.propertiesToFetch = fetched.isEmpty ? nil : fetched
        let prefetched = template.relationshipKeyPathsForPrefetching
        request.relationshipKeyPathsForPrefetching = prefetched.isEmpty ? nil : prefetched
        return request
    }
}
