import Foundation
import SQLite
import StoreFormat
import StoreModel

/// A class' layout of values, before any store is known. Made once for each class.
public final class ModelShape: @unchecked Sendable {
    // Safe to share: everything is set by the initializer and immutable; key paths and metatypes are so by nature.
    let name: String
    let type: any PersistentModel.Type
    let properties: [ShapeProperty]
    let slotCount: Int
    /// The first slot of each property.
    let slots: ContiguousArray<Int>
    let declarations: [Schema._Declaration]
    private let byKeyPath: [AnyKeyPath: Int]

    /// Takes the layout from what `@Model` says of the class.
    public init<T: PersistentModel>(_ type: T.Type) {
        name = String(describing: type)
        self.type = type
        var slot = 0
        properties = T.schemaMetadata.map { metadata in
            let property = ShapeProperty(metadata, slot: slot, className: String(describing: type))
            slot += property.leafCount
            return property
        }
        slotCount = slot
        slots = ContiguousArray(properties.map(\.slot))
        declarations = T._$schemaDeclarations
        byKeyPath = Dictionary(
            properties.enumerated().map { ($1.metadata.keyPath, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The property that a key path leads to.
    func property(_ keyPath: AnyKeyPath) -> ShapeProperty? { byKeyPath[keyPath].map { properties[$0] } }

    /// Tells the observers of these properties, or of all, that they have changed; those of a to-many in any case, since
    /// history does not tell of those reliably.
    func notify(_ object: AnyObject, _ backing: ModelBacking, of names: [String]?) {
        guard backing.registrar != nil else { return }
        for (index, property) in properties.enumerated() {
            if let names, !names.contains(property.metadata.name), !backing.isToMany(index) { continue }
            property.metadata.notify(object, backing)
        }
    }

    /// A value of the type for where the store has none: the class' default, else what the schema's check made of it.
    static func placeholder<T>(_ type: T.Type, _ property: ShapeProperty?) -> T {
        if let value = property?.metadata.absent?.value as? T { return value }
        if let codable = type as? any Codable.Type, let value = made(codable) as? T { return value }
        if type is any AnyOptionalType.Type, let none = Optional<Never>.none as? T { return none }
        // Only for a type that `ValueShape` has found unfit, since it makes a value of every other one: no container opens
        // with such a class, so no file leads here, only a program that reads an object without a container.
        preconditionFailure("\(type) cannot be stored in a model's property")
    }

    private static func made<T: Codable>(_ type: T.Type) -> Any? {
        (try? TypeProbe.value(of: type)).map { $0 as Any }
    }
}

/// A property of a class and the slots of its value.
struct ShapeProperty: @unchecked Sendable {
    // Safe to share: immutable; metatypes are so by nature.
    let metadata: Schema.PropertyMetadata
    let slot: Int
    let leafCount: Int
    let kind: Kind
    let coding: ValueShape

    enum Kind {
        case attribute(AttributeDescription)
        case toOne(any PersistentModel.Type, isOptional: Bool)
        case toMany(any PersistentModel.Type, isOptional: Bool)
        case unsupported(String)
    }

    var name: String { metadata.name }

    var destination: (any PersistentModel.Type)? {
        switch kind {
        case .toOne(let type, _), .toMany(let type, _): type
        case .attribute, .unsupported: nil
        }
    }

    init(_ metadata: Schema.PropertyMetadata, slot: Int, className: String) {
        self.metadata = metadata
        self.slot = slot
        if let relation = Self.relation(metadata.valueType) {
            kind = relation
            coding = .scalar
            if case .toMany = relation { leafCount = 0 } else { leafCount = 1 }
            return
        }
        let options = (metadata.metadata as? Schema.Attribute)?.options ?? []
        let shape = ValueShape.of(
            metadata.valueType, name: metadata.name, transformer: options.lazy.compactMap(\.transformer).first,
            hasDefault: metadata.absent != nil)
        coding = shape.coding
        kind =
            shape.attribute.map { .attribute($0) }
            ?? .unsupported("\(className).\(metadata.name): \(shape.problem ?? "the type cannot be stored")")
        leafCount = shape.attribute.map { max(1, $0.isComposite ? $0.elements.count : 1) } ?? 1
    }

    private static func relation(_ type: Any.Type) -> Kind? {
        let (inner, isOptional) = unwrapped(type)
        if let model = inner as? any PersistentModel.Type { return .toOne(model, isOptional: isOptional) }
        if let array = inner as? any AnyArrayType.Type, let model = array.elementType as? any PersistentModel.Type {
            return .toMany(model, isOptional: isOptional)
        }
        return nil
    }

    static func unwrapped(_ type: Any.Type) -> (Any.Type, Bool) {
        if let optional = type as? any AnyOptionalType.Type { return (optional.wrappedType, true) }
        return (type, false)
    }
}

/// Finds what an optional wraps.
protocol AnyOptionalType {
    static var wrappedType: Any.Type { get }
    var wrappedValue: Any? { get }
}

extension Optional: AnyOptionalType {
    static var wrappedType: Any.Type { Wrapped.self }
    var wrappedValue: Any? { self }
}

/// Finds what an array holds.
protocol AnyArrayType {
    static var elementType: Any.Type { get }
}

extension Array: AnyArrayType {
    static var elementType: Any.Type { Element.self }
}

/// Codable collections, which stand in one column as an archive.
protocol AnyCollectionType {}
extension Array: AnyCollectionType {}
extension Set: AnyCollectionType {}
extension Dictionary: AnyCollectionType {}
