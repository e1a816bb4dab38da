import StoreFormat
import StoreModel

extension NSManagedObjectModel {
    /// The fetch requests that are stored with the model, by name.
    public var fetchRequestTemplatesByName: [String: NSFetchRequest<NSManagedObject>] {
        Dictionary(
            base.fetchRequestTemplates.map { ($0.name, .stored($0)) }, uniquingKeysWith: { first, _ in first })
    }

    /// A stored fetch request as a request of its own, to be changed at will; nil where there is none of that name.
    public func fetchRequestTemplate(forName name: String) -> NSFetchRequest<NSManagedObject>? {
        fetchRequestTemplate(forName: name, resultType: NSManagedObject.self)
    }

    /// The same, for results of a type.
    public func fetchRequestTemplate<Result: NSFetchRequestResult>(
        forName name: String, resultType: Result.Type
    ) -> NSFetchRequest<Result>? {
        base.fetchRequestTemplates.first { $0.name == name }.map { .stored($0) }
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
        base.fetchRequestTemplates.append(FetchRequestTemplate(request, name: name))
    }
}
