import SQLite
import StoreFormat
import StoreModel

/// What a save checks of a property in every object, without looking at its description.
struct SlotCheck: Sendable {
    let property: Int
    let slot: Int
    let isMandatory: Bool
    /// The values that fit; nil where any do.
    let range: ClosedRange<Int64>?
    /// Whether the column can hold text. In another, text in memory is a value that cannot be stored.
    let takesText: Bool
    /// Whether only the whole check tells.
    let isThorough: Bool

    init?(_ plan: PropertyPlan) {
        property = plan.index
        slot = plan.slot
        takesText = plan.attribute?.leaf.map { $0.type == .string || $0.type == .uri } ?? false
        switch plan.kind {
        case .attribute(let attribute):
            isMandatory = !attribute.description.isOptional && !attribute.description.isDerived
            isThorough = attribute.isComposite || attribute.leaf?.column == nil
            range =
                switch attribute.leaf?.type {
                case .integer16: Int64(Int16.min)...Int64(Int16.max)
                case .integer32: Int64(Int32.min)...Int64(Int32.max)
                default: nil
                }
        case .toOne(let relationship, _):
            isMandatory = !relationship.description.isOptional
            range = nil
            if case .absent = relationship.storage { isThorough = true } else { isThorough = false }
        case .toMany(let relationship, _):
            isMandatory = false
            range = nil
            isThorough = true
            let description = relationship.description
            if case .absent = relationship.storage { return }
            guard description.maxCount > 1 || description.minCount > 0 && !description.isOptional else { return nil }
        }
    }

    /// Whether a value surely passes.
    func passes(_ value: SQLValue) -> Bool {
        guard !isThorough else { return false }
        switch value {
        case .null: return !isMandatory
        case .integer(let number): return range?.contains(number) ?? true
        case .real(let number): return !number.isNaN
        case .text: return takesText
        case .blob: return true
        }
    }
}
