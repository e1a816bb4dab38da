import Foundation
import KeyedArchive

/// How constants without a literal of their own are written: `CAST(number or string, 'Class')`, as NSPredicate prints dates.
enum PredicateCast {
    /// The constant that a cast of a literal stands for, or nil where the cast is to be done on rows.
    static func folded(_ operand: ExpressionNode, _ type: String) -> ExpressionNode? {
        guard case .constant(let value) = operand else { return nil }
        switch (type, value) {
        case ("NSDate", .integer(let seconds)):
            return .constant(.date(Date(timeIntervalSinceReferenceDate: Double(seconds))))
        case ("NSDate", .double(let seconds)):
            return .constant(.date(Date(timeIntervalSinceReferenceDate: seconds)))
        case ("NSDecimalNumber", .string(let text)):
            return Decimal(boundedText: text).map { .constant(.decimal($0)) }
        case ("NSUUID", .string(let text)):
            return UUID(uuidString: text).map { .constant(.uuid($0)) }
        case ("NSURL", .string(let text)):
            return .constant(.url(text))
        case ("NSData", .string(let text)):
            return Data(base64Encoded: text).map { .constant(.data($0)) }
        case ("NSManagedObjectID", .string(let text)):
            return .objectURI(text)
        case (_, .string(let text)):
            return Data(base64Encoded: text).flatMap { unarchived($0, type) }
        default:
            return nil
        }
    }

    /// What an archive of that class stands for: a part of a predicate that is kept whole, or a value.
    private static func unarchived(_ archive: Data, _ className: String) -> ExpressionNode? {
        guard let root = try? KeyedArchive(data: archive).root, root.className == className else { return nil }
        if let part = ArchivedPart(root, archive: archive) { return .archived(part) }
        let values = ModelValueUnarchiver(source: "the predicate", budget: ReadingBudget(source: "the predicate"))
        return (try? values.value(root, place: "a constant")).map { .constant($0) }
    }

    static func format(_ archive: Data, _ className: String) -> String {
        format("\"\(archive.base64EncodedString())\"", className)
    }

    static func format(_ literal: String, _ type: String) -> String {
        "CAST(\(literal), \"\(type)\")"
    }
}
