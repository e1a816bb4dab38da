import SQLite
import StoreFormat

extension NSManagedObject {
    /// The value of a property as `value(forKey:)` gives it, or why there is none to give.
    ///
    /// A property cannot throw: where the store holds something that it cannot show, it reads as empty, and other
    /// objects are not disturbed. This throws instead.
    /// - Throws: `StoreError`: `UnknownKey`; `ObjectDeleted`; `MissingValue` for a mandatory property without one;
    ///   `InvalidValue`; `ExternalData` where the file is missing; `TransformerUnknown`; `UnknownObject` for a to-one
    ///   whose row is not there; what a value that the property was given is refused for; and what reading the row
    ///   throws.
    public func checkedValue(forKey key: String) throws -> Any? {
        guard let slot = info.slots[key] else { throw info.unknownKey(key) }
        prepareToRead()
        if let unread = unread() { throw unread }
        if isGone {
            throw StoreError(
                .objectDeleted, "\(id.shown) was deleted, and \(key) is its last known value at best",
                way: "fetch again")
        }
        if case .fetched(let property) = info.properties[slot] { return try fetchedObjects(slot, property) }
        if let problem = problem(slot) { throw problem }
        return object(inSlot: slot)
    }

    /// What the store holds for this object that its properties cannot show; empty for a sound object.
    public var valueFaults: [StoreError] {
        prepareToRead()
        if let unread = unread() { return [unread] }
        guard !isGone else { return [] }
        return (extras?.refusal.map { [$0] } ?? []) + info.properties.indices.compactMap { problem($0) }
    }

    /// Whether the row is not there: the object was deleted, or a relationship led to what does not exist.
    var isGone: Bool { flags.contains(.gone) || flags.contains(.deleted) && link == nil }

    /// Why the row cannot be read; nil where it was.
    private func unread() -> StoreError? {
        guard flags.contains(.fault), row == nil, let context = managedObjectContext else { return nil }
        do {
            try context.read(self)
            return nil
        } catch {
            return error as? StoreError ?? ValueCheck.invalid("\(id.shown)", "what cannot be read: \(error)")
        }
    }

    private func problem(_ slot: Int) -> StoreError? {
        if !slots.isEmpty, case .invalid(let error) = slots[slot] { return error }
        switch info.properties[slot] {
        case .transient, .fetched: return nil
        case .attribute(let attribute):
            return ValueCheck.problem(attributeValue(attribute, slot), of: attribute.layout, in: id.shown)
        case .relationship(let relationship):
            guard !relationship.isToMany else { return nil }
            let path = "\(id.shown).\(relationship.name)"
            guard let destination = toOneID(slot, relationship) else {
                return relationship.layout.description.isOptional ? nil : ValueCheck.missing(path)
            }
            guard !destination.isTemporaryID, let context = managedObjectContext else { return nil }
            do {
                _ = try context.existingObject(with: context.object(with: destination).id)
                return nil
            } catch let error as StoreError where error.code != .unknownObject {
                return error
            } catch {
                return StoreError(
                    .unknownObject, "\(path) leads to \(destination.shown), which does not exist",
                    way: "set it to another object")
            }
        }
    }
}
