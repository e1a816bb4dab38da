import StoreFormat

/// Reads every object of an entity through both stacks and compares what they saw.
public enum Comparison {
    /// One property that reads differently.
    public struct Difference: Sendable, Hashable {
        /// The object that reads differently.
        public var object: ObjectReference
        /// Nil where only one stack has the object.
        public var property: String?
        /// What the legacy stack reads, as text.
        public var legacy: String
        /// What the model stack reads, as text.
        public var model: String
    }

    /// What a comparison of one entity found.
    public struct Result: Sendable, Hashable {
        /// The entity that was compared.
        public var entity: String
        /// How many objects at least one of the stacks has.
        public var rows: Int
        /// What reads differently, by the objects' keys; empty where the stacks agree.
        public var differences: [Difference]
    }

    /// Compares all objects of exactly this entity.
    ///
    /// Each stack reads in a snapshot of its own, so an object that a commit changed in between is read again before it
    /// counts as different. Memory: a hash for each object.
    /// - Parameter limit: how many differing objects are looked into.
    public static func compare(
        entity: String, legacy: any StackInstance, model: any StackInstance, limit: Int = 1_000
    ) throws -> Result {
        var hashes: [Int64: Int] = [:]
        try legacy.forEachObject(of: entity) { hashes[$0.reference.key] = $0.hashValue }
        var rows = hashes.count
        var suspects: [Int64] = []
        try model.forEachObject(of: entity) { record in
            guard let hash = hashes.removeValue(forKey: record.reference.key) else {
                rows += 1
                suspects.append(record.reference.key)
                return
            }
            if hash != record.hashValue { suspects.append(record.reference.key) }
        }
        suspects += hashes.keys
        var differences: [Difference] = []
        for key in suspects.sorted().prefix(limit) {
            differences += try compare(ObjectReference(entity: entity, key: key), legacy: legacy, model: model)
        }
        return Result(entity: entity, rows: rows, differences: differences)
    }

    /// Compares one object as last committed, again if a commit came between the two reads.
    static func compare(
        _ object: ObjectReference, legacy: any StackInstance, model: any StackInstance
    ) throws -> [Difference] {
        var found: [Difference] = []
        for _ in 0..<3 {
            let a = try legacy.object(object, isFresh: true)
            let b = try model.object(object, isFresh: true)
            found = differences(object, a, b)
            let again = try legacy.object(object, isFresh: true)
            if found.isEmpty || again == a { return found }
        }
        return found
    }

    private static func differences(_ object: ObjectReference, _ a: ObjectRecord?, _ b: ObjectRecord?) -> [Difference] {
        guard let a, let b else {
            if a == nil && b == nil { return [] }
            return [
                Difference(
                    object: object, property: nil, legacy: a == nil ? "no object" : "an object",
                    model: b == nil ? "no object" : "an object")
            ]
        }
        var result: [Difference] = []
        func note(_ property: String, _ x: some Equatable, _ y: some Equatable, _ isEqual: Bool) {
            guard !isEqual else { return }
            result.append(Difference(object: object, property: property, legacy: "\(x)", model: "\(y)"))
        }
        note("version", a.version, b.version, a.version == b.version)
        for name in Set(a.values.keys).union(b.values.keys).sorted() {
            note(name, a.values[name], b.values[name], a.values[name] == b.values[name])
        }
        for name in Set(a.relationships.keys).union(b.relationships.keys).sorted() {
            note(name, a.relationships[name], b.relationships[name], a.relationships[name] == b.relationships[name])
        }
        return result
    }
}
