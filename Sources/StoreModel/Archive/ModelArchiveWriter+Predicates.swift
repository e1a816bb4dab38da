import Foundation
import KeyedArchive

extension ModelArchiveWriter {
    mutating func predicate(_ node: PredicateNode, _ place: String) throws(ModelError) -> KeyedArchiver.Reference {
        switch node {
        case .constant(let value):
            return archiver.object(
                value ? "NSTruePredicate" : "NSFalsePredicate", bases: ["NSPredicate", "NSObject"], [:])
        case .not(let inner): return try compound(0, [inner], place)
        case .and(let parts): return try compound(1, parts, place)
        case .or(let parts): return try compound(2, parts, place)
        case .comparison(var comparison):
            if comparison.modifier == .none {
                // Archives have no modifier for NONE.
                comparison.modifier = .any
                return try compound(0, [.comparison(comparison)], place)
            }
            if case .archived(let part) = comparison.left, part.isPredicate,
                comparison == .init(comparison.left, .equal, .constant(.bool(true)))
            {
                return try copy(part.archive, part.className, place)
            }
            let left = try expression(comparison.left, place)
            let right = try expression(comparison.right, place)
            return archiver.object(
                "NSComparisonPredicate", bases: ["NSPredicate", "NSObject"],
                [
                    "NSLeftExpression": left.node, "NSRightExpression": right.node,
                    "NSPredicateOperator": predicateOperator(comparison).node,
                ])
        }
    }

    private mutating func compound(_ type: Int64, _ parts: [PredicateNode], _ place: String) throws(ModelError)
        -> KeyedArchiver.Reference
    {
        var references: [KeyedArchiver.Reference] = []
        for part in parts { references.append(try predicate(part, place)) }
        return archiver.object(
            "NSCompoundPredicate", bases: ["NSPredicate", "NSObject"],
            [
                "NSCompoundPredicateType": .integer(type),
                "NSSubpredicates": archiver.collection("NSArray", references).node,
            ])
    }

    private mutating func predicateOperator(_ comparison: PredicateNode.Comparison) -> KeyedArchiver.Reference {
        let modifier: Int64 = comparison.modifier == .all ? 1 : comparison.modifier == .any ? 2 : 0
        let options = PropertyListNode.integer(Int64(comparison.options.rawValue))
        let text = ["NSStringPredicateOperator"]
        let (className, bases, type, extra): (String, [String], Int64, PropertyListDictionary)
        switch comparison.operator {
        case .less: (className, bases, type, extra) = Self.order(0, options)
        case .lessOrEqual: (className, bases, type, extra) = Self.order(1, options)
        case .greater: (className, bases, type, extra) = Self.order(2, options)
        case .greaterOrEqual: (className, bases, type, extra) = Self.order(3, options)
        case .equal:
            (className, bases, type, extra) = (
                "NSEqualityPredicateOperator", [], 4, ["NSNegate": .bool(false), "NSOptions": options]
            )
        case .notEqual:
            (className, bases, type, extra) = (
                "NSEqualityPredicateOperator", [], 5, ["NSNegate": .bool(true), "NSOptions": options]
            )
        case .matches: (className, bases, type, extra) = ("NSMatchingPredicateOperator", text, 6, ["NSFlags": options])
        case .like:
            (className, bases, type, extra) = (
                "NSLikePredicateOperator", ["NSMatchingPredicateOperator"] + text, 7, ["NSFlags": options]
            )
        case .beginsWith:
            (className, bases, type, extra) = (
                "NSSubstringPredicateOperator", text, 8, ["NSFlags": options, "NSPosition": .integer(0)]
            )
        case .endsWith:
            (className, bases, type, extra) = (
                "NSSubstringPredicateOperator", text, 9, ["NSFlags": options, "NSPosition": .integer(1)]
            )
        case .in: (className, bases, type, extra) = ("NSInPredicateOperator", [], 10, ["NSFlags": options])
        case .contains: (className, bases, type, extra) = ("NSInPredicateOperator", [], 99, ["NSFlags": options])
        case .between: (className, bases, type, extra) = ("NSBetweenPredicateOperator", [], 100, ["NSOptions": options])
        }
        var fields = extra
        fields["NSModifier"] = .integer(modifier)
        fields["NSOperatorType"] = .integer(type)
        return archiver.object(className, bases: bases + ["NSPredicateOperator", "NSObject"], fields)
    }

    private static func order(_ type: Int64, _ options: PropertyListNode) -> (
        String, [String], Int64, PropertyListDictionary
    ) {
        ("NSComparisonPredicateOperator", [], type, ["NSVariant": .integer(type), "NSOptions": options])
    }

    mutating func expression(_ node: ExpressionNode, _ place: String) throws(ModelError) -> KeyedArchiver.Reference {
        switch node {
        case .evaluatedObject: return expression("NSSelfExpression", 1, [:])
        case .keyPath(let path):
            let operand = expression("NSSelfExpression", 1, [:])
            return keyPath(path, of: operand, type: 3)
        case .constant(let value):
            let archived = try self.value(value, place)
            if archived == .null {
                return expression(
                    "NSConstantValueExpression", 0, ["NSConstantValueClassName": KeyedArchiver.Reference.null.node])
            }
            return expression("NSConstantValueExpression", 0, ["NSConstantValue": archived.node])
        case .conditional(let condition, let yes, let no):
            return expression(
                "NSTernaryExpression", 20,
                [
                    "NSPredicate": try predicate(condition, place).node,
                    "NSTrueExpression": try expression(yes, place).node,
                    "NSFalseExpression": try expression(no, place).node,
                ])
        case .archived(let part): return try copy(part.archive, part.className, place)
        case .objectURI: throw .unsupported(what: "an object in a predicate", place: place)
        case .aggregate(let elements):
            return expression("NSAggregateExpression", 14, ["NSCollection": try list(elements, "NSArray", place).node])
        case .variable(let name, let path):
            let variable = expression("NSVariableExpression", 2, ["NSVariable": archiver.string(name).node])
            return path.isEmpty ? variable : keyPath(path, of: variable, type: 4)
        case .subquery(let source, let variable, let condition, let path):
            let subquery = expression(
                "NSSubqueryExpression", 13,
                [
                    "NSCollection": try expression(source, place).node, "NSVariable": archiver.string(variable).node,
                    "NSPredicate": try predicate(condition, place).node,
                ])
            return path.isEmpty ? subquery : keyPath(path, of: subquery, type: 4)
        case .function(let name, let arguments): return try function(name, arguments, place)
        }
    }

    private mutating func expression(_ className: String, _ type: Int64, _ fields: PropertyListDictionary)
        -> KeyedArchiver.Reference
    {
        var fields = fields
        fields["NSExpressionType"] = .integer(type)
        return archiver.object(className, bases: ["NSExpression", "NSObject"], fields)
    }

    private mutating func list(_ nodes: [ExpressionNode], _ className: String, _ place: String) throws(ModelError)
        -> KeyedArchiver.Reference
    {
        var references: [KeyedArchiver.Reference] = []
        for node in nodes { references.append(try expression(node, place)) }
        return archiver.collection(className, references)
    }

    private mutating func keyPath(_ path: [String], of operand: KeyedArchiver.Reference, type: Int64)
        -> KeyedArchiver.Reference
    {
        let specifier = expression(
            "NSKeyPathSpecifierExpression", 10, ["NSKeyPath": archiver.string(path.joined(separator: ".")).node])
        let isSimple = path.count == 1 && type == 3
        return archiver.object(
            "NSKeyPathExpression", bases: ["NSFunctionExpression", "NSExpression", "NSObject"],
            [
                "NSOperand": operand.node, "NSExpressionType": .integer(type),
                "NSSelectorName": archiver.string(isSimple ? "valueForKey:" : "valueForKeyPath:").node,
                "NSArguments": archiver.collection("NSMutableArray", [specifier]).node,
            ])
    }

    private mutating func function(_ name: String, _ arguments: [ExpressionNode], _ place: String) throws(ModelError)
        -> KeyedArchiver.Reference
    {
        let operand: KeyedArchiver.Reference
        var selector = name
        var rest = arguments
        if name == "FUNCTION", arguments.count >= 2, case .constant(.string(let text)) = arguments[1] {
            operand = try expression(arguments[0], place)
            selector = text
            rest = Array(arguments.dropFirst(2))
        } else {
            if name == "CAST" { selector = "castObject:toType:" }
            operand = expression(
                "NSConstantValueExpression", 0,
                ["NSConstantValueClassName": archiver.string("_NSPredicateUtilities").node])
        }
        return archiver.object(
            "NSFunctionExpression", bases: ["NSExpression", "NSObject"],
            [
                "NSOperand": operand.node, "NSSelectorName": archiver.string(selector).node,
                "NSExpressionType": .integer(4), "NSArguments": try list(rest, "NSArray", place).node,
            ])
    }
}
