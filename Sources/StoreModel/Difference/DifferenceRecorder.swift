/// Collects the differences of one entity.
struct DifferenceRecorder {
    let entity: String
    var property: String?
    private(set) var differences: [ModelDifference.Difference] = []

    init(entity: String) {
        self.entity = entity
    }

    mutating func add(_ what: String, _ a: String?, _ b: String?, _ kind: ModelDifference.Kind) {
        differences.append(.init(entity: entity, property: property, what: what, a: a, b: b, kind: kind))
    }

    /// Adds a difference if the two values are not equal.
    mutating func note<T: Equatable>(
        _ what: String, _ a: T?, _ b: T?, _ kind: @autoclosure () -> ModelDifference.Kind
    ) {
        guard a != b else { return }
        add(what, a.map { Self.text($0) }, b.map { Self.text($0) }, kind())
    }

    private static func text(_ value: some Any) -> String {
        switch value {
        case let list as [String]: list.joined(separator: ", ")
        case let lists as [[String]]: lists.map { "(\($0.joined(separator: ", ")))" }.joined(separator: ", ")
        case let value as ModelValue: value.predicateFormat()
        case let values as [String: ModelValue]:
            values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.predicateFormat())" }.joined(separator: ", ")
        default: "\(value)"
        }
    }
}
