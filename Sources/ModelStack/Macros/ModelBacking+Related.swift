import Foundation
import StoreFormat

extension ModelBacking {
    // MARK: To-one

    /// Sets a to-one while an object is made; does nothing to an object that is made for a row.
    public func initialize<T: PersistentModel>(_ index: Int, to value: T) {
        guard state == .detached else { return }
        detached[index] = [value]
    }

    /// Sets an optional to-one while an object is made; does nothing to an object that is made for a row.
    public func initialize<T: PersistentModel>(_ index: Int, to value: T?) {
        guard state == .detached, let value else { return }
        detached[index] = [value]
    }

    /// Returns the object at the other end; nil where there is none or it cannot be read, which the next save throws.
    public func get<T: PersistentModel>(_ index: Int) -> T? {
        guard let context, state != .detached else { return detached[index]?.first as? T }
        guard let property = plan(index), let object = context.attempt({ try context.toOne(self, property) }) ?? nil
        else {
            return nil
        }
        return context.model(object) as? T
    }

    /// A mandatory to-one. Where its row is gone, an object stands in that has no values, is in no context, and counts as
    /// deleted.
    public func get<T: PersistentModel>(_ index: Int) -> T {
        if let found: T = get(index) as T? { return found }
        let missing = T(_$materializing: ModelBacking.make(T.self))
        missing._$backing.state = .gone
        return missing
    }

    /// Sets a to-one; a new object joins the context of the other.
    public func set<T: PersistentModel>(_ index: Int, to value: T) {
        set(index, to: Optional(value))
    }

    /// Sets a to-one, or clears it with nil; a new object joins the context of the other.
    /// An object of another context is refused by the next save.
    public func set<T: PersistentModel>(_ index: Int, to value: T?) {
        value.map { $0._$backing.model = $0 }
        guard let context = joinedContext(value.map { [$0._$backing] } ?? []) else {
            detached[index] = value.map { [$0] } ?? []
            return
        }
        guard state != .gone, let property = plan(index) else { return }
        let target = value.flatMap { context.adopt($0._$backing) }
        context.attempt { try context.setToOne(self, property, target) }
    }

    // MARK: To-many

    /// Sets a to-many while an object is made; does nothing to an object that is made for a row.
    public func initialize<T: PersistentModel>(_ index: Int, to value: [T]) {
        guard state == .detached else { return }
        detached[index] = value
    }

    /// Sets an optional to-many while an object is made; nil is an empty one.
    public func initialize<T: PersistentModel>(_ index: Int, to value: [T]?) {
        guard state == .detached else { return }
        detached[index] = value ?? []
    }

    /// Returns the objects at the other end; empty where they cannot be read, which the next save throws.
    public func get<T: PersistentModel>(_ index: Int) -> [T] {
        guard let context, state != .detached else { return (detached[index] as? [T]) ?? [] }
        guard let property = plan(index), let keys = context.attempt({ try context.toMany(self, property) }) else {
            return []
        }
        return keys.compactMap { key in
            guard let object = context.attempt({ try context.object(key) }) ?? nil, object.state != .gone else {
                return nil
            }
            return context.model(object) as? T
        }
    }

    /// Returns the objects at the other end of an optional to-many; never nil, since a store keeps no such difference.
    public func get<T: PersistentModel>(_ index: Int) -> [T]? {
        .some(get(index) as [T])
    }

    /// Replaces the objects at the other end; new objects join the context of the others.
    public func set<T: PersistentModel>(_ index: Int, to value: [T]) {
        for object in value { object._$backing.model = object }
        guard let context = joinedContext(value.map(\._$backing)) else {
            detached[index] = value
            return
        }
        guard state != .gone, let property = plan(index) else { return }
        let targets = value.compactMap { context.adopt($0._$backing) }
        context.attempt { try context.setToMany(self, property, targets) }
    }

    /// Replaces the objects at the other end; nil is none.
    public func set<T: PersistentModel>(_ index: Int, to value: [T]?) {
        set(index, to: value ?? [])
    }

    /// The context of this object. A new object that is related to one in a context joins that context.
    private func joinedContext(_ others: [ModelBacking]) -> ObjectContext? {
        if let context { return context }
        guard model != nil, let context = others.lazy.compactMap(\.context).first else { return nil }
        _ = context.adopt(self)
        return self.context
    }
}

extension ObjectContext {
    /// Runs what the property's syntax cannot throw out of. The context keeps the error, and the next save throws it.
    @discardableResult
    func attempt<T>(_ body: () throws -> T) -> T? {
        do {
            return try body()
        } catch {
            deferredError = error
            return nil
        }
    }

    /// The object of a class for a backing.
    func model(_ backing: ModelBacking) -> AnyObject? {
        if let model = backing.model { return model }
        guard let model = makeModel?(backing) else { return nil }
        backing.model = model
        if pendingContains(backing) { backing.retained = model }
        return model
    }

    /// Brings a new object into this context; nil for one of another context.
    func adopt(_ backing: ModelBacking) -> ModelBacking? {
        if backing.context === self { return backing }
        guard backing.state == .detached else {
            deferredError = StoreError(
                .refused, "\(backing.reference) belongs to another context",
                way: "get it in this context by its persistentModelID")
            return nil
        }
        guard let shape = backing.shape, let entity = plan[shape.name] else {
            deferredError = StoreError(
                .unknownEntity, "\(backing.shape?.name ?? "the class") is no entity of this container",
                way: "add the class to the container's schema")
            return nil
        }
        insert(backing, entity)
        let related = backing.detached
        backing.detached = [:]
        for (index, objects) in related.sorted(by: { $0.key < $1.key }) {
            guard let property = entity.properties[safe: index] else { continue }
            let targets = objects.compactMap { object -> ModelBacking? in
                guard let model = object as? any PersistentModel else { return nil }
                model._$backing.model = model
                return adopt(model._$backing)
            }
            switch property.kind {
            case .attribute: break
            case .toOne: if let target = targets.first { attempt { try setToOne(backing, property, target) } }
            case .toMany: if !targets.isEmpty { attempt { try addToMany(backing, property, targets) } }
            }
        }
        return backing
    }

    /// Adds to a to-many what its objects did not bring with them already.
    private func addToMany(_ backing: ModelBacking, _ property: PropertyPlan, _ targets: [ModelBacking]) throws {
        let present = try toMany(backing, property).compactMap { try object($0) }
        let new = targets.filter { target in !present.contains { $0 === target } }
        // The given order, then what came from the other ends.
        let others = present.filter { object in !targets.contains { $0 === object } }
        if !new.isEmpty || targets.count > 1 { try setToMany(backing, property, targets + others) }
    }
}
