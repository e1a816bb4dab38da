import StoreFormat
import StoreModel

/// A property of an entity.
///
/// `@unchecked Sendable`: a description may be changed only until a store is opened with its model, on the thread that
/// builds the model; from then on `isFrozen` makes every setter trap, so that what other threads see never changes.
open class NSPropertyDescription: NSObject, @unchecked Sendable {
    var storedName: String { willSet { checkMutable() } }
    var storedOptional: Bool { willSet { checkMutable() } }
    var storedTransient: Bool { willSet { checkMutable() } }
    var storedUserInfo: [AnyHashable: Any] = [:] { willSet { checkMutable() } }
    var storedHashModifier: String? { willSet { checkMutable() } }
    var storedRenaming: String? { willSet { checkMutable() } }
    weak var storedEntity: NSEntityDescription?
    var isFrozen = false

    override public init() {
        storedName = ""
        storedOptional = true
        storedTransient = false
    }

    func checkMutable() {
        precondition(!isFrozen, "the model of an opened store cannot be changed")
    }

    /// The property's name.
    public var name: String {
        get { storedName }
        set { storedName = newValue }
    }

    /// Whether an object can be saved without a value for it.
    public var isOptional: Bool {
        get { storedOptional }
        set { storedOptional = newValue }
    }

    /// Whether the value is kept in memory only.
    public var isTransient: Bool {
        get { storedTransient }
        set { storedTransient = newValue }
    }

    /// What the model's author noted for the property.
    public var userInfo: [AnyHashable: Any]? {
        get { storedUserInfo }
        set { storedUserInfo = newValue ?? [:] }
    }

    /// Part of the version hash, for changes that the model itself does not show.
    public var versionHashModifier: String? {
        get { storedHashModifier }
        set { storedHashModifier = newValue }
    }

    /// The name that lightweight migration matches the property by.
    public var renamingIdentifier: String? {
        get { storedRenaming }
        set { storedRenaming = newValue }
    }

    /// The entity that declares the property.
    public var entity: NSEntityDescription? { storedEntity }

    override open var description: String { "\(type(of: self)) \(storedEntity?.name ?? "?").\(storedName)" }
}
