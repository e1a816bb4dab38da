import Foundation

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
        default:
            return nil
        }
    }

    static func format(_ literal: String, _ type: String) -> String {
        "CAST(\(literal), \"\(type)\")"
    }
}
