import SQLite
import StoreFormat
import StoreModel

extension SaveRun {
    /// Checks what is written: mandatory properties, ranges, and that the store has a place for each value.
    /// - Throws: `StoreError` `ValidationFailed`, with every object and reason.
    func validate() throws {
        var offences: [StoreError.Offence] = []
        var code = StoreError.Code.validationFailed
        for work in order where work.kind == .insert || work.kind == .update && (work.isPending || !work.values.isEmpty)
        {
            for check in work.entity.checks where !check.passes(work.value(check.slot)) {
                let property = work.entity.properties[check.property]
                if let problem = try problem(work, property) {
                    if code == .validationFailed { code = problem.code }
                    offences.append(work.offence(problem.reason, property: property.name))
                }
            }
        }
        guard let first = offences.first else { return }
        throw StoreError(
            code,
            "\(first.name): \(first.reason)" + (offences.count > 1 ? "; and \(offences.count - 1) more" : ""),
            way: "set the values and save again", objects: offences)
    }

    /// What is wrong with a value.
    private struct Problem: ExpressibleByStringInterpolation {
        var code = StoreError.Code.validationFailed
        var reason: String

        init(_ code: StoreError.Code, _ reason: String) {
            self.code = code
            self.reason = reason
        }

        init(stringLiteral value: String) { reason = value }
    }

    private func problem(_ work: SaveWork, _ property: PropertyPlan) throws -> Problem? {
        switch property.kind {
        case .attribute(let attribute):
            guard work.kind == .insert || work.changed.contains(property.name) else { return nil }
            var isEmpty = true
            for (i, leaf) in attribute.leaves.enumerated() {
                let value = work.value(property.slot + i)
                if value.isNull { continue }
                isEmpty = false
                if let problem = Self.problem(value, leaf) { return problem }
                if leaf.column == nil { return "\(leaf.path) has no column in this store" }
            }
            let needsValue = !attribute.description.isOptional && !attribute.description.isDerived
            if isEmpty, needsValue,
                !attribute.isComposite || attribute.description.elements.contains(where: { !$0.isOptional })
            {
                return "\(property.name) is mandatory and has no value"
            }
            return nil
        case .toOne(let relationship, _):
            guard work.kind == .insert || work.values[property.slot] != nil else { return nil }
            if work.value(property.slot).isNull {
                return relationship.description.isOptional ? nil : "\(property.name) is mandatory and has no object"
            }
            if case .absent = relationship.storage { return "\(property.name) has no place in this store" }
            return nil
        case .toMany(let relationship, let index):
            guard let state = work.backing?.toManys[safe: index], state.isChanged || work.kind == .insert else {
                return nil
            }
            if case .absent = relationship.storage, !state.added.isEmpty || state.elements?.isEmpty == false {
                return "\(property.name) has no place in this store"
            }
            guard let count = state.elements?.count else { return nil }
            let description = relationship.description
            if description.maxCount > 1, count > description.maxCount {
                return "\(property.name) holds \(count) objects, at most \(description.maxCount) are allowed"
            }
            if !description.isOptional, count < description.minCount {
                return "\(property.name) holds \(count) objects, at least \(description.minCount) are needed"
            }
            return nil
        }
    }

    private static func problem(_ value: SQLValue, _ leaf: LeafLayout) -> Problem? {
        switch (leaf.type, value) {
        case (.integer16, .integer(let number)) where Int16(exactly: number) == nil:
            "\(leaf.path): \(number) needs more than 16 bits"
        case (.integer32, .integer(let number)) where Int32(exactly: number) == nil:
            "\(leaf.path): \(number) needs more than 32 bits"
        case (.decimal, .text(let digits)):
            Problem(
                .precisionLoss, "\(leaf.path): the decimal \(digits) has more digits than a Core Data store keeps")
        case (.transformable, .text(let reason)): Problem(.typeMismatch, "\(leaf.path): \(reason)")
        case (_, .real(let number)) where number.isNaN: "\(leaf.path) is not a number, which SQLite stores as NULL"
        default: nil
        }
    }
}
