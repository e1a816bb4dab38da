import Foundation
import Observation
import SQLite
import StoreFormat

// What the accessors that `@Model` makes call. The first argument is the property's place in its class.
extension ModelBacking {
    // MARK: Observation

    /// Notes that a property is read.
    public func access<M: PersistentModel, V>(_ object: M, _ keyPath: KeyPath<M, V>) {
        if model == nil { model = object }
        context?.syncIfNeeded()
        if isStale { context?.refreshFromStore(self) }
        isShown = true
        observation.access(object, keyPath: keyPath)
    }

    /// Before a property is set.
    public func willSet<M: PersistentModel, V>(_ object: M, _ keyPath: KeyPath<M, V>) {
        if model == nil { model = object }
        registrar?.willSet(object, keyPath: keyPath)
    }

    /// After a property was set.
    public func didSet<M: PersistentModel, V>(_ object: M, _ keyPath: KeyPath<M, V>) {
        registrar?.didSet(object, keyPath: keyPath)
    }

    private var observation: ObservationRegistrar {
        if let registrar { return registrar }
        let made = ObservationRegistrar()
        registrar = made
        return made
    }

    // MARK: Places

    var properties: [ShapeProperty] { shape?.properties ?? [] }

    private func slot(_ index: Int) -> Int? {
        guard let shape, index < shape.slots.count else { return nil }
        return shape.slots[index]
    }

    func plan(_ index: Int) -> PropertyPlan? { entity?.properties[safe: index] }

    func isToMany(_ index: Int) -> Bool {
        if case .toMany? = plan(index)?.kind { true } else { false }
    }

    func read(_ slot: Int) -> SQLValue {
        guard values.isEmpty, let row else { return value(slot) }
        return row.plan.hasExternalData ? original(slot) : row[slot]
    }

    private func write(_ slot: Int, _ value: SQLValue) {
        guard state != .gone else { return }
        if let context, state != .detached {
            context.willChange(self)
        }
        guard slot < values.count else { return }
        values[slot] = value
    }

    // MARK: Values in one column

    /// While an object is made: a first value. An object that is made for a row has its values already.
    public func initialize<T: StoredScalar>(_ index: Int, to value: T) {
        guard state == .detached, let slot = slot(index), slot < values.count else { return }
        values[slot] = value._stored
    }

    /// Returns a value of one column. Where the column holds none of the type: the class' default, else the type's absent
    /// value; `checkedValue(_:)` throws instead.
    public func get<T: StoredScalar>(_ index: Int) -> T {
        guard let slot = slot(index) else { return T._absent }
        return T(_stored: read(slot)) ?? properties[index].metadata.absent?.value as? T ?? T._absent
    }

    /// Sets a value of one column; does nothing to an object that is gone.
    public func set<T: StoredScalar>(_ index: Int, to value: T) {
        guard let slot = slot(index) else { return }
        write(slot, value._stored)
    }

    // MARK: Values of Codable types

    /// Sets the first value of a Codable type; does nothing to an object that is made for a row.
    public func initialize<T: Codable>(_ index: Int, to value: T) {
        guard state == .detached else { return }
        put(index, value) { slot, value in values[slot] = value }
    }

    /// Returns a value of a Codable type. Where the columns hold none: the class' default, else some value of the type;
    /// `checkedValue(_:)` throws instead.
    public func get<T: Codable>(_ index: Int) -> T { getTransformed(index) }

    /// Sets a value of a Codable type, in all of its columns; does nothing to an object that is gone.
    public func set<T: Codable>(_ index: Int, to value: T) {
        put(index, value) { slot, value in write(slot, value) }
    }

    // MARK: Values of any type, by a transformer

    /// Sets the first value of a transformable property; does nothing to an object that is made for a row.
    public func initializeTransformed<T>(_ index: Int, to value: T) {
        guard state == .detached else { return }
        put(index, value) { slot, value in values[slot] = value }
    }

    /// Returns the value of a transformable property. Where its transformer makes none: the class' default, else nil.
    public func getTransformed<T>(_ index: Int) -> T {
        guard let property = properties[safe: index] else { return ModelShape.placeholder(T.self, nil) }
        return property.coding.decode(stored(property), as: T.self) ?? ModelShape.placeholder(T.self, property)
    }

    /// Sets a transformable property; what its transformer refuses is thrown by the next save.
    public func setTransformed<T>(_ index: Int, to value: T) {
        put(index, value) { slot, value in write(slot, value) }
    }

    /// The values of a property's columns.
    func stored(_ property: ShapeProperty) -> [SQLValue] { (0..<property.leafCount).map { read(property.slot + $0) } }

    private func put<T>(_ index: Int, _ value: T, _ body: (Int, SQLValue) -> Void) {
        guard let property = properties[safe: index] else { return }
        let encoded = property.coding.encode(value, count: property.leafCount)
        for (i, value) in encoded.enumerated() where property.slot + i < values.count || !values.isEmpty || row != nil {
            body(property.slot + i, value)
        }
    }
}
