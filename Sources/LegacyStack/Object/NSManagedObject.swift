import SQLite
import StoreFormat
import StoreModel

/// What a fetch can give.
public protocol NSFetchRequestResult {}

extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// An object of a context: values by key, over a row that is read when it is first asked for.
///
/// Belongs to its context's queue. Subclasses declare properties with `@Managed`.
open class NSManagedObject: NSObject, NSFetchRequestResult {
    struct Flags: OptionSet {
        let rawValue: UInt8
        static let inserted = Flags(rawValue: 1)
        /// In the context's set of updated objects.
        static let updated = Flags(rawValue: 2)
        static let deleted = Flags(rawValue: 4)
        /// Nobody has looked at the values yet.
        static let fault = Flags(rawValue: 8)
        /// The row is not there.
        static let gone = Flags(rawValue: 16)
        /// Had its `willSave` in the save that is running.
        static let toldOfSave = Flags(rawValue: 32)
        /// Was made without a context, and has not come into one yet.
        static let loose = Flags(rawValue: 64)
    }

    final let info: SchemaEntity
    final var id: NSManagedObjectID
    final var link: ContextLink?
    final var row: Row?
    /// The row that a fault showed before somebody else changed it, until the new one is looked at.
    final var outdated: Row?
    /// By slot; empty as long as nothing was set or cached.
    final var slots: ContiguousArray<PropertySlot> = []
    final var flags: Flags
    /// What few objects have.
    final var extras: ObjectExtras?
    /// What the entities of the context's store are, once the object has left it.
    final var lastSchema: Schema?

    /// Makes an object of the entity, inserted into the context.
    ///
    /// With no context it belongs to none until ``NSManagedObjectContext/insert(_:)``, or until it is related to an object
    /// of one. A store has to be open with the entity's model.
    public required init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
        link = context?.link
        if let making = context?.takeMaking() {
            info = making.schemaEntity
            id = making
            flags = .fault
            super.init()
        } else if context == nil, let missing = entity as? MissingObject {
            info = missing.id.schemaEntity
            id = missing.id
            flags = [.deleted, .gone]
            super.init()
        } else if context == nil {
            guard let schemaEntity = entity.model?.openedSchema?[entity.name ?? ""] else {
                preconditionFailure(
                    "an object of \(entity.name ?? "?") without a context needs an open store of its model: load the persistent stores first"
                )
            }
            info = schemaEntity
            id = NSManagedObjectID(temporary: schemaEntity)
            flags = .loose
            super.init()
            fillDefaults()
        } else {
            guard let context, let schemaEntity = context.instance.schema[entity.name ?? ""] else {
                preconditionFailure("an object of \(entity.name ?? "?") needs a context over a store with that entity")
            }
            info = schemaEntity
            id = NSManagedObjectID(temporary: schemaEntity)
            flags = .inserted
            super.init()
            context.registerInserted(self)
        }
    }

    /// Sets what a new object starts with.
    final func fillDefaults() {
        guard !info.defaults.isEmpty else { return }
        ensureSlots()
        for (slot, value) in info.defaults { slots[slot] = value.slot }
    }

    /// Makes an object of the entity that this class is registered for or named as.
    public convenience init(context: NSManagedObjectContext) {
        guard let name = context.instance.managedObjectModel.entityName(of: Self.self),
            let entity = context.instance.schema[name]
        else {
            preconditionFailure("no entity has the class \(Self.self): register it with the model")
        }
        self.init(entity: entity.description, insertInto: context)
    }

    // MARK: State

    /// The object's identity; temporary until it is saved.
    public final var objectID: NSManagedObjectID { id }
    /// The object's entity.
    public final var entity: NSEntityDescription { info.description }
    /// The context that the object belongs to; nil when it was deleted there, or the context is gone.
    public final var managedObjectContext: NSManagedObjectContext? { link?.context }
    /// Whether the object was inserted and not saved yet.
    public final var isInserted: Bool { flags.contains(.inserted) }
    /// Whether the object has changes to save.
    public final var isUpdated: Bool {
        absorbRemoteChanges()
        return flags.contains(.updated) && !flags.contains(.deleted)
    }
    /// Whether the object is to be deleted with the next save, or was deleted elsewhere.
    public final var isDeleted: Bool {
        absorbRemoteChanges()
        return flags.contains(.deleted)
    }
    /// Whether the values have not been asked for yet.
    public final var isFault: Bool {
        absorbRemoteChanges()
        return flags.contains(.fault)
    }
    /// Whether there is something to save.
    public final var hasChanges: Bool { isInserted || isUpdated || isDeleted }
    /// Whether persistent properties differ from what was saved.
    public final var hasPersistentChangedValues: Bool {
        slots.contains { $0.isChange } || extras?.refusal != nil
    }

    /// Leaves the context. What is known of the values stays readable.
    final func leave() {
        lastSchema = link?.context?.instance.schema ?? lastSchema
        link = nil
    }

    final func absorbRemoteChanges() {
        guard let link, link.hasRemoteChanges.load(ordering: .acquiring) else { return }
        link.context?.absorb()
    }

    /// Sees to it that the row is there and up to date before a value is read.
    @inline(__always)
    final func prepareToRead() {
        if let link, link.hasRemoteChanges.load(ordering: .acquiring) { link.context?.absorb() }
        if flags.contains(.fault) { fire() }
    }

    /// Before a value is set: a fault reads its row.
    ///
    /// What others saved meanwhile is not taken in here: the new value may have been made from what the object showed a
    /// moment ago, as in `book.pages += 1`. The save's version test, and the merge policy, decide.
    final func prepareToChange() {
        guard flags.contains(.fault) else { return }
        guard let shown = outdated else { return fire() }
        outdated = nil
        row = shown
        flags.remove(.fault)
        awakeFromFetch()
    }

    /// Reads the row of a fault.
    final func fire() {
        outdated = nil
        flags.remove(.fault)
        if row == nil { managedObjectContext?.fill(self) }
        if !flags.contains(.fault) { awakeFromFetch() }
    }

    // MARK: Life

    /// Called when the object was inserted: set initial values here.
    open func awakeFromInsert() {}
    /// Called when the values of a fetched object are first asked for.
    open func awakeFromFetch() {}
    /// Called before a save of the object; may change it.
    open func willSave() {}
    /// Called after a save of the object.
    open func didSave() {}
    /// Called when the object is about to be deleted.
    open func prepareForDeletion() {}
    /// Called before the object becomes a fault again.
    open func willTurnIntoFault() {}
    /// Called after the object became a fault again.
    open func didTurnIntoFault() {}

    /// Called before a value changes; nothing here depends on it.
    open func willChangeValue(forKey key: String) {}
    /// Called after a value changed; nothing here depends on it.
    open func didChangeValue(forKey key: String) {}
    /// Reads a fault's row. With nil, only that.
    open func willAccessValue(forKey key: String?) { prepareToRead() }
    /// The end of an access; nothing here depends on it.
    open func didAccessValue(forKey key: String?) {}

    // MARK: Validation

    /// Checks the object before it is inserted. Overrides call super.
    /// - Throws: `StoreError` `ValidationFailed`.
    open func validateForInsert() throws { try Validation.check(self) }
    /// Checks the object before it is updated. Overrides call super.
    /// - Throws: `StoreError` `ValidationFailed`.
    open func validateForUpdate() throws { try Validation.check(self) }
    /// Checks the object before it is deleted. Overrides call super.
    /// - Throws: what refuses the deletion.
    open func validateForDelete() throws {}

    // MARK: Keys without a property

    /// The value for a key that the entity does not have: nil, with `UnknownKey` as the context's `faultError`. To be
    /// overridden where a class has keys of its own; `checkedValue(forKey:)` throws the error instead.
    open func value(forUndefinedKey key: String) -> Any? {
        managedObjectContext?.note(info.unknownKey(key))
        return nil
    }

    /// Takes a value for a key that the entity does not have: the object cannot be saved then, `UnknownKey`, until
    /// `rollback()` or `refresh(_:mergeChanges:)` without its changes. To be overridden where a class has keys of its own.
    open func setValue(_ value: Any?, forUndefinedKey key: String) {
        refuse(info.unknownKey(key))
    }

    override open var description: String { "<\(type(of: self)) \(id.uriText)>" }
}

extension NSManagedObject {
    /// The entity that this class is registered for in a model, or named as.
    public static func entityName(in model: NSManagedObjectModel) -> String? { model.entityName(of: self) }
}
