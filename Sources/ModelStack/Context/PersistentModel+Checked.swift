import Foundation
import SQLite
import StoreFormat

extension PersistentModel {
    /// The value of a stored property, or why there is none to give.
    ///
    /// A property cannot throw: where the store holds something that its type cannot show, it reads as the class'
    /// default or an empty value, and other objects are not disturbed. What the store holds stays there until the property
    /// is set. This throws instead.
    /// - Throws: `StoreError`: `ObjectDeleted`; `MissingValue` for a mandatory property without one; `InvalidRawValue` for
    ///   a case that the enumeration does not have; `InvalidValue`; `ExternalData` where the file is missing;
    ///   `TransformerUnknown`; `UnknownObject` for a to-one whose row is not there; `UnknownKey` for a key path that leads
    ///   to no stored property; what reading the row anew throws, where somebody else changed it.
    public func checkedValue<V>(_ keyPath: KeyPath<Self, V>) throws -> V {
        guard let property = Self._$shape.property(keyPath) else {
            throw StoreError(
                .unknownKey, "\(Self._$shape.name): the key path leads to no stored property",
                way: "name a property that is stored")
        }
        let value = self[keyPath: keyPath]
        if _$backing.state == .gone {
            throw StoreError(
                .objectDeleted,
                "\(_$backing.reference) was deleted, and \(property.name) is its last known value at best",
                way: "fetch again")
        }
        if let unread = _$backing.unread() { throw unread }
        if let problem = _$backing.problem(property) { throw problem }
        return value
    }

    /// What the store holds for this object that its properties cannot show; empty for a sound object.
    public var valueFaults: [StoreError] {
        _$backing.context?.syncIfNeeded()
        guard _$backing.state != .gone else { return [] }
        if let unread = _$backing.unread() { return [unread] }
        return Self._$shape.properties.compactMap { _$backing.problem($0) }
    }
}

extension ModelBacking {
    /// Why the row, which somebody else changed, cannot be read anew; nil where it was.
    fileprivate func unread() -> StoreError? {
        guard isStale, state == .persistent, values.isEmpty, let entity, let context else { return nil }
        do {
            _ = try context.instance.row(entity, key)
            return nil
        } catch {
            return error as? StoreError ?? ValueCheck.invalid("\(reference)", "what cannot be read: \(error)")
        }
    }

    fileprivate func problem(_ property: ShapeProperty) -> StoreError? {
        let path = "\(reference).\(property.name)"
        switch property.kind {
        case .attribute(let attribute):
            let stored = stored(property)
            if stored.allSatisfy(\.isNull) {
                if attribute.isOptional { return nil }
                // A structure may have nothing but optional parts.
                let inner = ShapeProperty.unwrapped(property.metadata.valueType).0
                return property.coding.value(stored, inner) == nil ? ValueCheck.missing(path) : nil
            }
            return problem(stored, property, path)
        case .toOne(_, let isOptional):
            guard let context, let plan = entity?.indexOfProperty(property.name).flatMap({ entity?.properties[$0] })
            else { return nil }
            guard let key = value(plan.slot).integerValue else { return isOptional ? nil : ValueCheck.missing(path) }
            do {
                if try context.toOne(self, plan) != nil { return nil }
            } catch {
                return error as? StoreError ?? ValueCheck.invalid(path, "what cannot be read: \(error)")
            }
            let destination = plan.relationship?.description.destinationEntityName ?? "?"
            return StoreError(
                .unknownObject, "\(path) leads to \(destination)/\(key), which does not exist",
                way: "set it to another object")
        case .toMany, .unsupported: return nil
        }
    }

    private func problem(_ stored: [SQLValue], _ property: ShapeProperty, _ path: String) -> StoreError? {
        let inner = ShapeProperty.unwrapped(property.metadata.valueType).0
        if case .transformable(let attribute) = property.coding, case .blob(let bytes)? = stored.first {
            do {
                _ = try TransformableCoding.object(Data(bytes), attribute, path: path)
                return nil
            } catch {
                return error as? StoreError ?? ValueCheck.invalid(path, "\(error)")
            }
        }
        guard property.coding.value(stored, inner) == nil else { return nil }
        let shown = stored.first { !$0.isNull } ?? .null
        if entity?.leaves[safe: property.slot]??.isExternal == true, case .text(let name) = shown {
            return StoreError(
                .externalData, "\(path): its external file \(name) is missing",
                way: "put the file back from a backup, or set the property anew")
        }
        if let unknown = property.coding.unknownCase(stored, inner) {
            return ValueCheck.invalidRawValue(
                path + unknown.path, ValueCheck.shown(.text(unknown.value)), unknown.type)
        }
        switch property.coding {
        case .rawValue, .cases: return ValueCheck.invalidRawValue(path, ValueCheck.shown(shown), "\(inner)")
        default: return ValueCheck.invalid(path, "\(ValueCheck.shown(shown)), which is no \(inner)")
        }
    }
}
