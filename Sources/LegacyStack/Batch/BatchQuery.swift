import StoreFormat

/// A fetch request of any result type, as a batch request keeps it.
struct BatchQuery {
    let entityName: String?
    let predicate: NSPredicate?
    let sortDescriptors: [NSSortDescriptor]?
    let limit: Int
    let offset: Int
    let includesSubentities: Bool

    init<R>(_ request: NSFetchRequest<R>) {
        entityName = request.entityName
        predicate = request.predicate
        sortDescriptors = request.sortDescriptors
        limit = request.fetchLimit
        offset = request.fetchOffset
        includesSubentities = request.includesSubentities
    }

    init(_ request: NSBatchUpdateRequest) {
        entityName = request.entityName
        predicate = request.predicate
        sortDescriptors = nil
        limit = 0
        offset = 0
        includesSubentities = request.includesSubentities
    }

    /// - Throws: `StoreError` `UnknownEntity` where the request names no entity.
    func request() throws -> NSFetchRequest<NSManagedObject> {
        guard let entityName else {
            throw StoreError(.unknownEntity, "the fetch names no entity", way: "give an entityName")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
        request.predicate = predicate
        request.sortDescriptors = sortDescriptors
        request.fetchLimit = limit
        request.fetchOffset = offset
        request.includesSubentities = includesSubentities
        return request
    }
}
