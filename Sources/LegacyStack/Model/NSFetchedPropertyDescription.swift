import StoreModel

/// A property whose value is what a fetch finds: objects, in the order of the request.
///
/// The request's predicate may use `$FETCH_SOURCE`, the object whose property it is, and `$FETCHED_PROPERTY`, this
/// description.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
    // Sendable for the reason that NSPropertyDescription gives.
    private var base = FetchedPropertyDescription(
        name: "", request: FetchRequestTemplate(name: FetchedPropertyDescription.requestName, entityName: ""))
    { willSet { checkMutable() } }

    override public init() {
        super.init()
        isTransient = true
    }

    convenience init(_ property: FetchedPropertyDescription) {
        self.init()
        base = property
        name = property.name
        isOptional = property.isOptional
        versionHashModifier = property.versionHashModifier
        renamingIdentifier = property.renamingIdentifier
        userInfo = property.userInfo.mapValues { ModelValues.object($0) ?? NSNull() }
    }

    /// The fetch, as a request of its own: a changed one has to be set again. Nil where none was set.
    public var fetchRequest: NSFetchRequest<NSManagedObject>? {
        get { base.request.entityName.isEmpty ? nil : NSFetchRequest.stored(base.request) }
        set {
            let name = base.request.name
            base.request =
                newValue.map { FetchRequestTemplate($0, name: name) }
                ?? FetchRequestTemplate(name: name, entityName: "")
        }
    }

    /// The property as a value.
    var property: FetchedPropertyDescription {
        var result = base
        result.name = name
        result.isOptional = isOptional
        result.versionHashModifier = versionHashModifier
        result.renamingIdentifier = renamingIdentifier
        result.userInfo = ModelValues.userInfo(userInfo)
        return result
    }
}
