import StoreModel

extension PredicateResolver {
    func resolve(_ comparison: PredicateNode.Comparison, _ entity: EntityLayout) throws -> PredicateNode {
        var comparison = comparison
        if comparison.modifier != .direct {
            if case .aggregate(let elements) = comparison.left {
                return try spelledOut(comparison, elements, entity)
            }
            let left = try expression(comparison.left, entity)
            if case .collection(let element) = left.type {
                return try quantified(comparison, left, element, entity)
            }
            // What leads to one value is counted as that value.
            let isNone = comparison.modifier == .none
            comparison.modifier = .direct
            return try resolve(.comparison(comparison), entity, isNegated: isNone)
        }
        if comparison.operator == .in || comparison.operator == .contains {
            if let plain = try membership(comparison, entity) { return plain }
        }
        let left = try single(comparison.left, entity)
        return try compared(comparison, left, entity)
    }

    /// `ANY {1, 2} == pages`: a comparison for each element.
    private func spelledOut(
        _ comparison: PredicateNode.Comparison, _ elements: [ExpressionNode], _ entity: EntityLayout
    ) throws -> PredicateNode {
        let parts = elements.map { element in
            var part = comparison
            part.left = element
            part.modifier = .direct
            return PredicateNode.comparison(part)
        }
        switch comparison.modifier {
        case .all: return try resolve(.and(parts), entity, isNegated: false)
        case .none: return try resolve(.or(parts), entity, isNegated: true)
        default: return try resolve(.or(parts), entity, isNegated: false)
        }
    }

    /// A comparison of a to-many's objects.
    private func quantified(
        _ comparison: PredicateNode.Comparison, _ left: TypedExpression, _ element: PredicateValueType,
        _ entity: EntityLayout
    ) throws -> PredicateNode {
        if case .composite = element {
            throw Self.unsupported(
                "\(left.node.formatString) is composite", "name one of its parts, or ask in a SUBQUERY")
        }
        let plain = try compared(
            comparison, TypedExpression(node: left.node, type: element, isDecimal: left.isDecimal),
            entity)
        guard case .comparison = plain else {
            throw Self.unsupported("\(comparison.formatString) cannot be asked of several objects")
        }
        return plain
    }

    /// `collection CONTAINS x`, `x IN collection`, and a text in a text; nil where it is none of these.
    private func membership(
        _ comparison: PredicateNode.Comparison, _ entity: EntityLayout
    ) throws -> PredicateNode? {
        var turned = comparison
        if comparison.operator == .contains {
            if case .aggregate = comparison.left {
                // `{…} CONTAINS x` is `x IN {…}`.
                (turned.left, turned.right, turned.operator) = (comparison.right, comparison.left, .in)
                return try resolve(turned, entity)
            }
            guard case .collection = try expression(comparison.left, entity).type else { return nil }
        } else {
            switch comparison.right {
            case .aggregate, .constant(.array): return nil
            default: break
            }
            let right = try expression(comparison.right, entity)
            (turned.left, turned.right) = (comparison.right, comparison.left)
            guard case .collection = right.type else {
                // `"x" IN text` is a search in the text.
                turned.operator = .contains
                return try compared(turned, right, entity)
            }
        }
        turned.operator = .equal
        turned.modifier = .any
        return try resolve(turned, entity)
    }

    /// The comparison with its left side resolved.
    private func compared(
        _ comparison: PredicateNode.Comparison, _ left: TypedExpression, _ entity: EntityLayout
    ) throws -> PredicateNode {
        var plain = comparison
        var left = left
        switch comparison.operator {
        case .in, .between:
            let elements = try list(comparison, &left, entity)
            plain.right = .aggregate(elements)
        default:
            var right = try single(comparison.right, entity)
            if comparison.modifier == .direct, let rewritten = Self.composite(comparison, left, right) {
                return rewritten
            }
            switch comparison.operator {
            case .beginsWith, .endsWith, .contains, .like, .matches: try texts(comparison, &left, &right)
            case .less, .lessOrEqual, .greater, .greaterOrEqual: try ordered(comparison, &left, &right)
            default: try unify(&left, &right, comparison)
            }
            plain.right = right.node
            if right.type == .text, left.type == .null { left.type = .text }
        }
        plain.left = left.node
        plain.options = left.type == .text ? TextMatch.effective(comparison.options) : []
        return .comparison(plain)
    }

    // MARK: Sides

    /// An expression that has one value.
    func single(_ node: ExpressionNode, _ entity: EntityLayout) throws -> TypedExpression {
        let typed = try expression(node, entity)
        if case .collection = typed.type {
            throw Self.unsupported(
                "the to-many \(node.formatString.shortened(to: 200)) cannot stand alone in a comparison",
                "put ANY, ALL or NONE in front, or ask for its @count")
        }
        return typed
    }

    /// The elements behind IN, or the two bounds behind BETWEEN.
    private func list(
        _ comparison: PredicateNode.Comparison, _ left: inout TypedExpression, _ entity: EntityLayout
    ) throws -> [ExpressionNode] {
        let nodes: [ExpressionNode]
        switch comparison.right {
        case .aggregate(let elements): nodes = elements
        case .constant(.array(let values)): nodes = values.map { .constant($0) }
        default: throw Self.unsupported("\(comparison.operator.rawValue) needs a list behind it", "write it with {…}")
        }
        if case .composite = left.type {
            throw Self.unsupported("\(left.node.formatString) is composite", "name one of its parts")
        }
        if comparison.operator == .between {
            guard nodes.count == 2 else { throw Self.unsupported("BETWEEN needs two bounds", "write BETWEEN {1, 5}") }
        }
        var elements: [ExpressionNode] = []
        elements.reserveCapacity(nodes.count)
        for node in nodes {
            var element = try single(node, entity)
            if comparison.operator == .between {
                try ordered(comparison, &left, &element)
            } else {
                try unify(&left, &element, comparison)
            }
            elements.append(element.node)
        }
        return elements
    }

    /// A composite is compared with nil only: it is nil if all of its elements are.
    private static func composite(
        _ comparison: PredicateNode.Comparison, _ left: TypedExpression, _ right: TypedExpression
    ) -> PredicateNode? {
        let paths: [[String]]
        switch (left.type, right.type) {
        case (.composite(let elements), .null), (.null, .composite(let elements)): paths = elements
        default: return nil
        }
        let parts = paths.map {
            PredicateNode.comparison(.init(.keyPath($0), comparison.operator, .constant(.null)))
        }
        switch comparison.operator {
        case .equal: return parts.count == 1 ? parts[0] : parts.isEmpty ? .constant(true) : .and(parts)
        case .notEqual: return parts.count == 1 ? parts[0] : parts.isEmpty ? .constant(false) : .or(parts)
        default: return .constant(false)
        }
    }

    // MARK: Types

    /// Gives a constant on either side the type of the other side.
    private func unify(
        _ left: inout TypedExpression, _ right: inout TypedExpression, _ comparison: PredicateNode.Comparison
    ) throws {
        try coerce(&right, to: left)
        try coerce(&left, to: right)
        for side in [left, right] {
            if case .composite = side.type {
                throw Self.unsupported(
                    "\(side.node.formatString) is composite", "name one of its parts, or compare it with nil")
            }
            if side.type == .externalData, !left.isNull, !right.isNull {
                throw Self.unsupported(
                    "\(side.node.formatString) may lie in a file and can only be compared with nil",
                    "filter the fetched objects")
            }
        }
        guard left.type.compares(with: right.type) else { throw mismatch(left, right, comparison) }
    }

    private func coerce(_ side: inout TypedExpression, to other: TypedExpression) throws {
        if case .object(let root) = other.type {
            switch side.node {
            case .constant(.string(let text)), .constant(.url(let text)), .objectURI(let text):
                side = try object(text, root: root)
            default: break
            }
        } else if let constant = side.constant, other.constant == nil || side.type == .text,
            let value = PredicateConstant.coerced(constant, to: other.type)
        {
            // Rounded, it would find what it is not.
            if other.isDecimal, case .decimal(let number) = value, ValueCoding.column(number) == nil {
                throw StoreError(
                    .precisionLoss,
                    "\(other.node.formatString) is a decimal, and no store holds one of \(number.description) exactly",
                    way: "give at most 15 digits, or an integer of 64 bits")
            }
            side = TypedExpression(node: .constant(value), type: value == .null ? .null : other.type)
        }
    }

    private func ordered(
        _ comparison: PredicateNode.Comparison, _ left: inout TypedExpression, _ right: inout TypedExpression
    ) throws {
        try unify(&left, &right, comparison)
        for side in [left, right] {
            if case .object = side.type {
                throw StoreError(
                    .typeMismatch, "\(side.node.formatString) is an object, and objects have no order",
                    way: "compare one of its attributes")
            }
        }
    }

    private func texts(
        _ comparison: PredicateNode.Comparison, _ left: inout TypedExpression, _ right: inout TypedExpression
    ) throws {
        func check(_ side: inout TypedExpression) throws {
            if let constant = side.constant, let text = PredicateConstant.coerced(constant, to: .text) {
                side = TypedExpression(node: .constant(text), type: text == .null ? .null : .text)
            }
            guard [.text, .null, .undefined].contains(side.type) else {
                throw StoreError(
                    .typeMismatch,
                    "\(side.node.formatString) is \(side.type.name), and \(comparison.operator.rawValue) compares text",
                    way: "compare it with == or <")
            }
        }
        try check(&left)
        try check(&right)
        if left.type == .undefined { left.type = .text }
        if comparison.operator == .matches, case .string(let pattern)? = right.constant,
            TextMatch.expression(pattern, comparison.options) == nil
        {
            throw Self.unsupported(
                "`\(pattern.shortened(to: 200))` is no regular expression", "correct its brackets and escapes")
        }
    }

    private func mismatch(
        _ left: TypedExpression, _ right: TypedExpression, _ comparison: PredicateNode.Comparison
    ) -> StoreError {
        var way = "give a value of that type"
        if case .object(let root) = left.type { way = "give an object, such as \(root)/1" }
        if left.type == .text, right.type.isNumeric { way = "write the text in quotes" }
        return StoreError(
            .typeMismatch,
            "\(left.node.formatString) is \(left.type.name) and cannot be compared with \(right.node.formatString), "
                + right.type.name, way: way)
    }

    // MARK: Objects

    /// An object by its identity, of a tree.
    private func object(_ text: String, root: String) throws -> TypedExpression {
        let prefix = "x-coredata:///"
        let name: String
        let node: ExpressionNode
        if text.hasPrefix(prefix) {
            // Never saved, and so in no row.
            name = text.dropFirst(prefix.count).split(separator: "/").first.map(String.init) ?? ""
            node = .objectURI(text)
        } else {
            let reference = try ObjectReference(parsing: text, storeUUID: store.uuid)
            name = reference.entity
            node = .objectURI(reference.uri(storeUUID: store.uuid))
        }
        let entity = try store.layout.entity(name)
        guard entity.rootName == root else {
            throw StoreError(.typeMismatch, "\(text) is no \(root)", way: "give an object of \(root)")
        }
        return TypedExpression(node: node, type: .object(root: root))
    }
}
