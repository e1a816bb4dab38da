import Foundation
import SQLite
import StoreFormat
import StoreModel

/// Checks an object against its model before a save.
enum Validation {
    /// - Throws: `StoreError` `ValidationFailed`, naming the object and each property that fails; `TypeMismatch` or
    ///   another code where a property was given what it cannot hold.
    static func check(_ object: NSManagedObject) throws {
        var offences: [StoreError.Offence] = []
        func fail(_ property: String, _ why: String, _ code: Int) {
            offences.append(
                .init(
                    object: object.id.shown, reason: "\(object.info.name).\(property) \(why)", property: property,
                    validationCode: code, label: label(object)))
        }
        if var error = object.extras?.refusal {
            error.objects = [.init(object: object.id.shown, reason: error.message)]
            throw error
        }
        for (slot, property) in object.info.properties.enumerated() {
            if !object.slots.isEmpty, case .invalid(var error) = object.slots[slot] {
                error.objects = [.init(object: object.id.shown, reason: error.message, label: label(object))]
                throw error
            }
            switch property {
            case .attribute(let attribute): check(object, slot, attribute, fail)
            case .transient, .fetched: continue
            case .relationship(let relationship): check(object, slot, relationship, fail)
            }
        }
        if !offences.isEmpty { throw failure(offences) }
    }

    /// A new object by its values.
    private static func label(_ object: NSManagedObject) -> String? {
        guard object.id.isTemporaryID else { return nil }
        return NewObjectName.text(object.info.layout) { column in
            for (slot, property) in object.info.properties.enumerated() {
                if case .attribute(let attribute) = property, let leaf = attribute.leaf, leaf.column == column {
                    return object.columnValue(leaf, slot)
                }
            }
            return nil
        }
    }

    static func failure(_ offences: [StoreError.Offence]) -> StoreError {
        let shown = offences.prefix(10).map { "\($0.name): \($0.reason)" }.joined(separator: "; ")
        let more = offences.count > 10 ? "; and \(offences.count - 10) more" : ""
        return StoreError(
            .validationFailed, shown + more, way: "correct the values, and save again",
            objects: offences)
    }

    // MARK: Attributes

    private static func check(
        _ object: NSManagedObject, _ slot: Int, _ attribute: SchemaAttribute, _ fail: (String, String, Int) -> Void
    ) {
        if attribute.isDerived { return }
        // What was not touched passed when it was saved.
        let isNew = object.flags.contains(.inserted)
        guard isNew || !object.slots.isEmpty && object.slots[slot].isChange else { return }
        if let leaf = attribute.leaf, !leaf.isExternal, !attribute.hasRules {
            if !attribute.isOptional, object.columnValue(leaf, slot).isNull {
                fail(attribute.name, "has no value, and is required", NSValidationMissingMandatoryPropertyError)
            }
            return
        }
        guard let value = object.attributeValue(attribute, slot) else {
            if !attribute.isOptional {
                fail(attribute.name, "has no value, and is required", NSValidationMissingMandatoryPropertyError)
            }
            return
        }
        let description = attribute.description
        var codes: Set<Int> = []
        func failed(_ why: String, _ code: Int) {
            codes.insert(code)
            fail(attribute.name, why, code)
        }
        bounds(description, value, failed)
        if let pattern = description.regularExpression, case .string(let text) = value,
            !TextMatch.matches(text, .matches, pattern, [])
        {
            failed("does not match \(pattern)", NSValidationStringPatternMatchingError)
        }
        for validation in attribute.rules {
            // A compiled model has its bounds as validations too: each failure is told once.
            guard !codes.contains(validation.code) else { continue }
            if !validation.rule.holds(of: PredicateConstant.column(value), as: attribute.leaf) {
                failed("does not hold to `\(validation.format)`", validation.code)
            }
        }
    }

    /// For texts the bounds are those of the length, in the units that `NSString` counts.
    private static func bounds(
        _ description: AttributeDescription, _ value: AttributeValue, _ fail: (String, Int) -> Void
    ) {
        let measured: SQLValue
        let what: String
        let codes: (low: Int, high: Int)
        switch value {
        case .string(let text):
            (measured, what) = (.integer(Int64(text.utf16.count)), "is \(text.utf16.count) characters long")
            codes = (NSValidationStringTooShortError, NSValidationStringTooLongError)
        case .date:
            (measured, what) = (PredicateConstant.column(value), "is \(Self.shown(value))")
            codes = (NSValidationDateTooSoonError, NSValidationDateTooLateError)
        default:
            (measured, what) = (PredicateConstant.column(value), "is \(Self.shown(value))")
            codes = (NSValidationNumberTooSmallError, NSValidationNumberTooLargeError)
        }
        func shown(_ bound: SQLValue) -> String {
            if description.type == .date, let seconds = bound.doubleValue {
                return Self.shown(.date(Date(timeIntervalSinceReferenceDate: seconds)))
            }
            return bound.integerValue.map { "\($0)" } ?? bound.doubleValue.map { "\($0)" } ?? "\(bound)"
        }
        func bound(_ value: ModelValue?) -> SQLValue? {
            let bound = value.map { PredicateConstant.natural($0) }
            // A value of floats was rounded to one, and so its bounds are.
            guard description.type == .float, let number = bound?.doubleValue else { return bound }
            return .real(ValueCoding.float(number))
        }
        if let minimum = bound(description.minimum), !minimum.isNull,
            SQLValue.compare(measured, minimum) == .orderedAscending
        {
            fail("\(what), less than the minimum \(shown(minimum))", codes.low)
        }
        if let maximum = bound(description.maximum), !maximum.isNull,
            SQLValue.compare(measured, maximum) == .orderedDescending
        {
            fail("\(what), more than the maximum \(shown(maximum))", codes.high)
        }
    }

    private static func shown(_ value: AttributeValue) -> String {
        switch value {
        case .integer(let value): "\(value)"
        case .double(let value): "\(value)"
        case .decimal(let value): "\(value)"
        case .date(let value): DateText.text(value) ?? "\(value)"
        default: "\(value)"
        }
    }

    // MARK: Relationships

    private static func check(
        _ object: NSManagedObject, _ slot: Int, _ relationship: SchemaRelationship,
        _ fail: (String, String, Int) -> Void
    ) {
        let description = relationship.layout.description
        let isNew = object.flags.contains(.inserted)
        guard isNew || !object.slots.isEmpty && object.slots[slot].isChange else { return }
        if !relationship.isToMany {
            if !description.isOptional, object.toOneID(slot, relationship) == nil {
                fail(
                    relationship.name, "leads to no object, and is required", NSValidationMissingMandatoryPropertyError)
            }
            return
        }
        guard description.minCount > 0 || description.maxCount > 0 else { return }
        let count = object.toManyIDs(slot, relationship).count
        // One that is not optional may still be empty, as real stores have it: only a minimum says otherwise.
        let minimum = description.minCount
        if count < minimum, !(description.isOptional && count == 0) {
            fail(
                relationship.name, "has \(count) objects, and needs \(minimum)",
                NSValidationRelationshipLacksMinimumCountError)
        }
        if description.maxCount > 0, count > description.maxCount {
            fail(
                relationship.name, "has \(count) objects, and takes \(description.maxCount)",
                NSValidationRelationshipExceedsMaximumCountError)
        }
    }
}
