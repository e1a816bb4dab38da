import Foundation
import SQLite
import StoreFormat
import StoreModel

extension ModelInstance {
    /// Saves the batch in one transaction through a context of its own, on rows that are read fresh.
    /// - Throws: `StoreError`; then nothing at all is written.
    public func save(_ batch: ObjectBatch) throws -> SaveResult {
        let context = ObjectContext(self)
        let run = BatchRun(context)
        try run.apply(batch.operations)
        let number = try context.save(author: batch.author, contextName: batch.contextName)
        return SaveResult(transaction: number, objects: run.created.mapValues(\.reference))
    }
}

/// Carries a batch's operations out in a context of objects without classes.
private final class BatchRun {
    private let context: ObjectContext
    private(set) var created: [String: ModelBacking] = [:]
    /// Keeps objects alive between operations.
    private var touched: [ModelBacking] = []

    init(_ context: ObjectContext) {
        self.context = context
    }

    func apply(_ operations: [ObjectBatch.Operation]) throws {
        // New objects first, so that any operation can name any of them.
        for case .insert(let name, let temporary, _) in operations { try create(name, temporary) }
        for operation in operations {
            switch operation {
            case .insert(_, let temporary, let values):
                if let object = created[temporary] { try set(object, values) }
            case .update(let reference, let values, let version):
                try set(try existing(reference, version), values)
            case .delete(let reference, let version):
                context.delete(try existing(reference, version))
            }
        }
    }

    private func create(_ name: String, _ temporary: String) throws {
        let entity = try context.plan.entity(name)
        guard !entity.layout.isAbstract else {
            throw StoreError(
                .validationFailed, "\(name) is abstract: no object is only a \(name)",
                way: "insert one of \(entity.layout.treeNames.dropFirst().joined(separator: ", "))")
        }
        guard created[temporary] == nil else {
            throw StoreError(
                .refused, "the batch inserts two objects named \(temporary)", way: "give each a name of its own")
        }
        let object = ModelBacking(shape: nil, values: DefaultValues.values(entity))
        context.insert(object, entity)
        created[temporary] = object
    }

    private func existing(_ reference: ObjectReference, _ version: Int64?) throws -> ModelBacking {
        let entity = try context.plan.entity(reference.entity)
        if let known = context.registeredObject(entity.root, reference.key) {
            return try check(known, reference, version)
        }
        // Read fresh: a batch is about the rows as they are, not as they were cached.
        guard let row = try context.instance.row(entity, reference.key, isFresh: true),
            entity.layout.treeNumbers.contains(row.plan.layout.number)
        else {
            throw StoreError(.unknownObject, "there is no object \(reference)", way: "it may have been deleted")
        }
        let object = context.object(row)
        touched.append(object)
        return try check(object, reference, version)
    }

    private func check(_ object: ModelBacking, _ reference: ObjectReference, _ version: Int64?) throws -> ModelBacking {
        guard let version, let row = object.row, row.version != version else { return object }
        let reason = "was changed since it was read: version \(version) was expected, it is at version \(row.version)"
        throw StoreError(
            .versionConflict, "\(reference) \(reason)", way: ObjectBatch.conflictWay,
            objects: [.init(object: reference, reason: reason)])
    }

    private func target(_ target: ObjectBatch.Target, _ relationship: RelationshipPlan) throws -> ModelBacking {
        let object: ModelBacking
        switch target {
        case .existing(let reference): object = try existing(reference, nil)
        case .new(let name):
            guard let found = created[name] else {
                throw StoreError(
                    .unknownObject, "the batch inserts no object named \(name)", way: "insert it in the same batch")
            }
            object = found
        }
        let destination = try context.plan.destination(relationship)
        guard let entity = object.entity, destination.layout.treeNumbers.contains(entity.layout.number) else {
            throw StoreError(
                .typeMismatch,
                "\(relationship.declaringEntity).\(relationship.name) holds \(destination.name), "
                    + "and \(object.reference) is none", way: "give an object of \(destination.name)")
        }
        return object
    }

    private func set(_ object: ModelBacking, _ values: [String: ObjectBatch.Input]) throws {
        guard let entity = object.entity else { return }
        for (name, input) in values.sorted(by: { $0.key < $1.key }) {
            let property = try entity.property(name)
            switch (property.kind, input) {
            case (.attribute(let attribute), .attribute(let value)):
                try set(object, property, attribute, value)
            case (.attribute(let attribute), .elements(let elements)) where attribute.isComposite:
                try set(object, property, attribute, elements: elements)
            case (.toOne(let relationship, _), .toOne(let value)):
                try context.setToOne(object, property, try value.map { try target($0, relationship) })
            case (.toOne, .attribute(nil)): try context.setToOne(object, property, nil)
            case (.toMany, .attribute(nil)): try context.setToMany(object, property, [])
            case (.toMany(let relationship, _), .toMany(let targets)):
                try context.setToMany(object, property, try targets.map { try target($0, relationship) })
            default:
                throw StoreError(
                    .typeMismatch, "\(entity.name).\(name) is of another kind than the given value",
                    way: "give a value for an attribute, an object for a to-one, a list for a to-many")
            }
        }
    }

    private func set(
        _ object: ModelBacking, _ property: PropertyPlan, _ attribute: AttributePlan, _ value: AttributeValue?
    ) throws {
        guard !attribute.description.isDerived else {
            throw StoreError(
                .validationFailed, "\(object.reference): \(property.name) is derived, and is set by no one",
                way: "leave it out")
        }
        context.willChange(object)
        guard attribute.isComposite else {
            guard let leaf = attribute.leaf else { return }
            object.values[property.slot] = try AttributeInput.value(value, leaf)
            return
        }
        var elements: [String: AttributeValue] = [:]
        switch value {
        case nil: break
        case .composite(let given): elements = given
        default:
            throw StoreError(.typeMismatch, "\(property.name) is a composite", way: "give a value for each element")
        }
        try check(elements.keys, property, attribute)
        for (i, leaf) in attribute.leaves.enumerated() {
            object.values[property.slot + i] = try AttributeInput.value(elements[leaf.name], leaf)
        }
    }

    private func set(
        _ object: ModelBacking, _ property: PropertyPlan, _ attribute: AttributePlan,
        elements: [String: AttributeValue?]
    ) throws {
        try check(elements.keys, property, attribute)
        context.willChange(object)
        for (i, leaf) in attribute.leaves.enumerated() {
            guard let value = elements[leaf.name] else { continue }
            object.values[property.slot + i] = try AttributeInput.value(value, leaf)
        }
    }

    private func check(_ names: some Sequence<String>, _ property: PropertyPlan, _ attribute: AttributePlan) throws {
        guard let unknown = names.first(where: { name in !attribute.leaves.contains { $0.name == name } }) else {
            return
        }
        throw StoreError(
            .unknownKey, "\(property.name) has no element \(unknown)",
            way: "its elements are \(attribute.leaves.map(\.name).joined(separator: ", "))")
    }
}

/// Attribute values as a context holds them: as the column does, external data without its prefix.
enum AttributeInput {
    static func value(_ value: AttributeValue?, _ leaf: LeafLayout) throws -> SQLValue {
        if leaf.isExternal {
            switch value {
            case nil: return .null
            case .data(let data): return .blob([UInt8](data))
            default: break
            }
        }
        return try ValueCoding.encode(value, as: leaf)
    }
}

/// The values that a new object starts with.
enum DefaultValues {
    static func values(_ entity: EntityPlan) -> ContiguousArray<SQLValue> {
        var values = ContiguousArray<SQLValue>(repeating: .null, count: entity.slotCount)
        for property in entity.properties {
            guard let attribute = property.attribute else { continue }
            if let leaf = attribute.leaf, let value = attribute.description.defaultValue {
                // A default that does not fit its attribute is a fault of the model, and none is given.
                let constant = PredicateConstant.value(value, as: leaf) ?? .null
                let column = ValueCoding.isInRange(constant, leaf) ? constant : .null
                let float = leaf.type == .float ? column.doubleValue.map { ValueCoding.float($0) } : nil
                values[property.slot] = float.map { .real($0) } ?? column
            }
        }
        return values
    }
}
