import Foundation

extension AttributeDescription {
    /// `NSValidationNumberTooSmallError` and its kin: the warnings that compiled models carry.
    enum Warning: Int64 {
        case missingValue = 1570
        case numberTooLarge = 1610
        case numberTooSmall = 1620
        case dateTooLate = 1630
        case dateTooSoon = 1640
        case stringTooLong = 1660
        case stringTooShort = 1670
        case stringPattern = 1680
    }

    /// Sets `minimum`, `maximum` and `regularExpression` from validations of the form that compiled models hold them in:
    /// `SELF >= 1`, `length <= 8`, `SELF MATCHES "…"`.
    mutating func readBoundsFromValidations() {
        for validation in validations {
            guard case .comparison(let comparison)? = try? PredicateNode.parse(validation.predicateFormat),
                case .constant(let value) = comparison.right
            else { continue }
            let measured: ExpressionNode = type == .string ? .keyPath(["length"]) : .evaluatedObject
            switch comparison.operator {
            case .greaterOrEqual where comparison.left == measured: minimum = value.coerced(to: boundType)
            case .lessOrEqual where comparison.left == measured: maximum = value.coerced(to: boundType)
            case .matches where comparison.left == .evaluatedObject:
                if case .string(let pattern) = value { regularExpression = pattern }
            default: break
            }
        }
    }

    /// Adds the validations that `minimum`, `maximum` and `regularExpression` stand for, as the model compiler does. A bound
    /// that is no value of its type, such as a date in words, bounds nothing.
    mutating func addValidationsForBounds() {
        let measured: ExpressionNode = type == .string ? .keyPath(["length"]) : .evaluatedObject
        func add(_ op: PredicateNode.Comparison.Operator, _ left: ExpressionNode, _ value: ModelValue, _ code: Warning)
        {
            let node = PredicateNode.comparison(.init(left, op, .constant(value)))
            validations.append(.init(predicateFormat: node.formatString, warning: .integer(code.rawValue)))
        }
        if let minimum, minimum.isValue(of: boundType) {
            let code: Warning = type == .string ? .stringTooShort : type == .date ? .dateTooSoon : .numberTooSmall
            add(.greaterOrEqual, measured, minimum, code)
        }
        if let maximum, maximum.isValue(of: boundType) {
            let code: Warning = type == .string ? .stringTooLong : type == .date ? .dateTooLate : .numberTooLarge
            add(.lessOrEqual, measured, maximum, code)
        }
        if let regularExpression { add(.matches, .evaluatedObject, .string(regularExpression), .stringPattern) }
    }

    /// The validations that say more than `minimum`, `maximum` and `regularExpression` do.
    public var furtherValidations: [Validation] {
        validations.filter { validation in
            var alone = AttributeDescription(name: name, type: type)
            alone.validations = [validation]
            alone.readBoundsFromValidations()
            return (alone.minimum == nil || alone.minimum != minimum)
                && (alone.maximum == nil || alone.maximum != maximum)
                && (alone.regularExpression == nil || alone.regularExpression != regularExpression)
        }
    }

    /// The type of a bound: that of the values, or the length's for text.
    var boundType: AttributeType { type == .string ? .integer64 : type }
}
