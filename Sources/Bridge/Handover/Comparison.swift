import StoreFormat

/// Reads objects through both stacks and compares what they saw, value by value, while writers go on.
///
/// The objects come in batches by key, each stack's in a snapshot of its own. One that differs may only have been changed
/// between the two snapshots, so it is read again before it counts. Memory: one batch.
public struct Comparison: Sendable {
    /// One property that reads differently.
    public struct Difference: Sendable, Hashable {
        /// The object that reads differently.
        public var object: ObjectReference
        /// The property, or `version`; nil where only one stack has the object.
        public var property: String?
        /// What the legacy stack reads.
        public var legacy: ComparedValue
        /// What the model stack reads.
        public var model: ComparedValue

        /// A difference.
        public init(object: ObjectReference, property: String?, legacy: ComparedValue, model: ComparedValue) {
            self.object = object
            self.property = property
            self.legacy = legacy
            self.model = model
        }
    }

    /// What a comparison found.
    public struct Result: Sendable, Hashable {
        /// How many objects at least one of the stacks has.
        public var rows = 0
        /// How many objects read differently.
        public var differing = 0
        /// What reads differently, by the objects' keys: of at most as many objects as were asked for.
        public var differences: [Difference] = []

        /// A result without differences.
        public init(rows: Int = 0) {
            self.rows = rows
        }

        mutating func add(_ found: [Difference], limit: Int) {
            guard !found.isEmpty else { return }
            differing += 1
            if differing <= limit { differences += found }
        }

        mutating func add(_ other: Result, limit: Int) {
            if differing < limit { differences += other.differences }
            rows += other.rows
            differing += other.differing
        }
    }

    /// How far a comparison has got.
    public struct Progress: Sendable, Hashable {
        /// Objects read through both stacks.
        public var done: Int
        /// Objects that there were when it began.
        public var total: Int

        /// So many of so many.
        public init(done: Int, total: Int) {
            self.done = done
            self.total = total
        }
    }

    /// How many differing objects a result describes, where nothing else is said.
    public static let limit = 1_000
    /// Bounds of a batch: objects, and about how many bytes of values.
    static let batch = (objects: 500, bytes: 4 << 20)

    let legacy: any StackInstance
    let model: any StackInstance
    /// Runs the body while nobody can commit: for an object that changes faster than it can be read twice. Nil where the
    /// store cannot be written.
    let whileNobodyWrites: (@Sendable (() throws -> Void) throws -> Void)?

    /// Compares all objects of exactly this entity.
    /// - Parameters:
    ///   - limit: how many differing objects are described.
    ///   - progress: told after each batch how many objects it was; what it throws ends the comparison.
    public func compare(
        entity: String, limit: Int = Comparison.limit, progress: (Int) throws -> Void = { _ in }
    ) throws -> Result {
        var result = Result()
        var window = Window(after: .min, isLast: false)
        while !window.isLast {
            let rows = result.rows
            let suspects = try next(&window, entity, &result.rows)
            for key in suspects {
                let object = ObjectReference(entity: entity, key: key)
                result.add(try compare(object), limit: limit)
            }
            try progress(result.rows - rows)
        }
        return result
    }

    private struct Window {
        /// The last key that has been looked at.
        var after: Int64
        var isLast: Bool
    }

    /// Reads the next batch through both stacks.
    /// - Returns: the keys of objects that are not equal, or that one stack lacks.
    private func next(_ window: inout Window, _ entity: String, _ rows: inout Int) throws -> [Int64] {
        var batch: [ObjectRecord] = []
        var bytes = 0
        var isLegacyAtEnd = true
        try legacy.forEachObject(of: entity, after: window.after, through: .max) { record in
            batch.append(record)
            bytes += record.approximateBytes
            isLegacyAtEnd = batch.count < Self.batch.objects && bytes < Self.batch.bytes
            return isLegacyAtEnd
        }
        let end = isLegacyAtEnd ? Int64.max : batch.last?.reference.key ?? .max
        var suspects: [Int64] = []
        var i = 0
        var cut: Int64?
        try model.forEachObject(of: entity, after: window.after, through: end) { record in
            let key = record.reference.key
            while i < batch.count, batch[i].reference.key < key {
                suspects.append(batch[i].reference.key)
                i += 1
            }
            if i < batch.count, batch[i].reference.key == key {
                if batch[i] != record { suspects.append(key) }
                i += 1
            } else {
                suspects.append(key)
                rows += 1
            }
            // Rows that only the model stack has are bounded too.
            if suspects.count >= 2 * Self.batch.objects { cut = key }
            return cut == nil
        }
        if cut == nil {
            suspects += batch[i...].map(\.reference.key)
            i = batch.count
        }
        rows += i
        window = Window(after: cut ?? end, isLast: isLegacyAtEnd && cut == nil)
        return suspects
    }

    /// Compares one object as last committed.
    public func compare(_ object: ObjectReference) throws -> [Difference] {
        var found: [Difference] = []
        for _ in 0..<3 {
            let a = try legacy.object(object, isFresh: true)
            let b = try model.object(object, isFresh: true)
            found = differences(object, a, b)
            if found.isEmpty { return [] }
            let again = try legacy.object(object, isFresh: true)
            if again == a { return found }
        }
        guard let whileNobodyWrites else { return found }
        try whileNobodyWrites {
            found = differences(
                object, try legacy.object(object, isFresh: true), try model.object(object, isFresh: true))
        }
        return found
    }

    private func differences(_ object: ObjectReference, _ a: ObjectRecord?, _ b: ObjectRecord?) -> [Difference] {
        guard let a, let b else {
            if a == nil && b == nil { return [] }
            return [
                Difference(
                    object: object, property: nil, legacy: a == nil ? .noObject : .object,
                    model: b == nil ? .noObject : .object)
            ]
        }
        var result: [Difference] = []
        func note(_ property: String, _ x: ComparedValue, _ y: ComparedValue) {
            if x != y { result.append(Difference(object: object, property: property, legacy: x, model: y)) }
        }
        if a.reference != b.reference { note("entity", .entity(a.reference.entity), .entity(b.reference.entity)) }
        note("version", .version(a.version), .version(b.version))
        for name in Set(a.values.keys).union(b.values.keys).sorted() {
            note(name, ComparedValue(a.values[name]), ComparedValue(b.values[name]))
        }
        for name in Set(a.relationships.keys).union(b.relationships.keys).sorted() {
            note(name, ComparedValue(a.relationships[name]), ComparedValue(b.relationships[name]))
        }
        return result
    }
}
