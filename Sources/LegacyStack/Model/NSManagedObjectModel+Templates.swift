import StoreFormat
import StoreModel

extension NSManagedObjectModel {
    /// The fetch requests that are stored with the model, by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<NSManagedObject>] {
        Dictionary(
            base.fetchRequestTemplates.map { ($0.name, Self.request($0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// A stored fetch request as a request of its own, to be changed at will; nil where there is none of that name.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<NSManagedObject>? {
        fetchRequestTemplate(forName: name, resultType: NSManagedObject.self)
    }

    /// The same, for results of a type.
    public func fetchRequestTemplate<Result: NSFetchRequestResult>(
        forName name: String, resultType: Result.Type
    ) -> NSFetchRequest<Result>? {
        base.fetchRequestTemplates.first { $0.name == name }.map { Self.request($0) }
    }

    /// A stored fetch request with values for the `$variables` of its predicate; nil where there is none of that name.
    public func fetchRequestFromTemplate(
        withName name: String, substitutionVariables variables: [String: Any]
    ) -> NSFetchRequest<NSManagedObject>? {
        let request = fetchRequestTemplate(forName: name)
        request?.predicate = request?.predicate?.withSubstitutionVariables(variables)
        return request
    }

    /// Stores a fetch request with the model, in place of one of that name; nil takes that one away.
    public func setFetchRequestTemplate<Result: NSFetchRequestResult>(
        _ request: NSFetchRequest<Result>?, forName name: String
    ) {
        checkMutable()
        base.fetchRequestTemplates.removeAll { $0.name == name }
        guard let request else { return }
        var template = FetchRequestTemplate(
            name: name, entityName: request.entityName ?? "", predicateFormat: request.predicate?.predicateFormat)
        template.sortDescriptors = (request.sortDescriptors ?? []).compactMap { descriptor in
            descriptor.key.map {
                .init(
                    key: $0, isAscending: descriptor.ascending,
                    selector: descriptor.textOrder == .caseInsensitive ? Self.caseInsensitive : nil)
            }
        }
        (template.fetchLimit, template.fetchOffset) = (request.fetchLimit, request.fetchOffset)
        (template.fetchBatchSize, template.resultType) = (request.fetchBatchSize, Int(request.resultType.rawValue))
        template.includesSubentities = request.includesSubentities
        template.includesPropertyValues = request.includesPropertyValues
        template.includesPendingChanges = request.includesPendingChanges
        template.returnsObjectsAsFaults = request.returnsObjectsAsFaults
        template.returnsDistinctResults = request.returnsDistinctResults
        template.propertiesToFetch = (request.propertiesToFetch ?? []).compactMap { item in
            ((item as? String) ?? (item as? NSPropertyDescription)?.name).map { .init(name: $0) }
        }
        template.relationshipKeyPathsForPrefetching = request.relationshipKeyPathsForPrefetching ?? []
        base.fetchRequestTemplates.append(template)
    }

    private static let caseInsensitive = "caseInsensitiveCompare:"

    private static func request<Result: NSFetchRequestResult>(
        _ template: FetchRequestTemplate
    ) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: template.entityName)
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
