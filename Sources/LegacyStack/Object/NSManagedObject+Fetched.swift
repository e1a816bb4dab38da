import StoreFormat
import StoreModel

/// An object that a fetched property found. It is held by its identity, since two objects may find each other; one that
/// was never saved has none that lasts, and is held itself.
enum FetchedObject {
    case saved(NSManagedObjectID)
    case new(NSManagedObject)
}

extension NSManagedObject {
    /// What a fetched property finds; nothing where it cannot be fetched, and then the context's `faultError` says why.
    func fetched(_ slot: Int, _ property: FetchedPropertyDescription) -> [NSManagedObject] {
        do {
            return try fetchedObjects(slot, property)
        } catch {
            managedObjectContext?.note(error)
            return []
        }
    }

    /// The same. What was found stays until the object is refreshed, as in Core Data.
    /// - Throws: what fetching throws; `UnknownKey` for a path behind `$FETCH_SOURCE` that the entity does not have.
    func fetchedObjects(_ slot: Int, _ property: FetchedPropertyDescription) throws -> [NSManagedObject] {
        absorbRemoteChanges()
        guard let context = managedObjectContext else { return [] }
        return try context.locked {
            if let known = extras?.fetched[slot] {
                return known.map { found in
                    switch found {
                    case .saved(let id): context.object(with: id)
                    case .new(let object): object
                    }
                }
            }
            let request: NSFetchRequest<NSManagedObject> = .stored(property.request)
            // The value is objects, whatever else the request was stored for.
            (request.resultType, request.propertiesToFetch) = (.managedObjectResultType, nil)
            request.predicate = request.predicate?.withSubstitutionVariables([
                "FETCH_SOURCE": self,
                "FETCHED_PROPERTY": info.description.propertiesByName[property.name]
                    ?? NSFetchedPropertyDescription(property),
            ])
            let objects = try context.fetch(request)
            let extras = extras ?? ObjectExtras()
            extras.fetched[slot] = objects.map { $0.id.isTemporaryID ? .new($0) : .saved($0.id) }
            self.extras = extras
            return objects
        }
    }
}
