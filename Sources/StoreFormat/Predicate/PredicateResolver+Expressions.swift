import StoreModel

extension PredicateResolver {
    /// The plain form of an expression, with its type.
    func expression(_ node: ExpressionNode, _ entity: EntityLayout) throws -> TypedExpression {
        try effort.spend()
        switch node {
        case .evaluatedObject: return TypedExpression(node: node, type: .object(root: entity.rootName))
        case .keyPath(let parts):
            let (plain, type, isDecimal) = try path(parts, entity)
            return TypedExpression(
                node: plain.isEmpty ? .evaluatedObject : .keyPath(plain), type: type, isDecimal: isDecimal)
        case .constant(.array), .constant(.dictionary), .aggregate:
            throw Self.unsupported("a list can only stand behind IN or BETWEEN", "compare with one value")
        case .constant(let value):
            if case .double(let number) = value, number.isNaN {
                throw Self.unsupported("NaN is equal to nothing and has no order", "give a number")
            }
            return TypedExpression(node: node, type: PredicateValueType(value))
        case .objectURI(let text):
            // Of what tree it is, shows what it is compared with.
            return TypedExpression(node: node, type: .object(root: try root(text)))
        case .variable(let name, let parts):
            guard let inner = variables[name] else {
                throw Self.unsupported("the variable $\(name) stands for nothing here", "give its value")
            }
            let (plain, type, isDecimal) = try path(parts, inner)
            return TypedExpression(node: .variable(name, keyPath: plain), type: type, isDecimal: isDecimal)
        case .subquery(let source, let variable, let condition, let keyPath):
            return try subquery(source, variable, condition, keyPath, entity)
        case .conditional(let condition, let yes, let no): return try conditional(condition, yes, no, entity)
        case .function(let name, let arguments): return try function(name, arguments, entity)
        case .archived(let part):
            throw Self.unsupported("only Apple's frameworks evaluate the \(part.className) in the predicate")
        }
    }

    private func root(_ text: String) throws -> String {
        let prefix = "x-coredata:///"
        let name =
            text.hasPrefix(prefix)
            ? text.dropFirst(prefix.count).split(separator: "/").first.map(String.init) ?? ""
            : try ObjectReference(parsing: text, storeUUID: store.uuid).entity
        return try store.layout.entity(name).rootName
    }

    private func subquery(
        _ source: ExpressionNode, _ variable: String, _ condition: PredicateNode, _ keyPath: [String],
        _ entity: EntityLayout
    ) throws -> TypedExpression {
        let collection = try expression(source, entity)
        guard case .collection(.object) = collection.type, let destination = try destination(of: source, entity) else {
            throw Self.unsupported(
                "SUBQUERY needs a key path to the objects of one to-many relationship first, not "
                    + source.formatString, "write SUBQUERY(items, $x, …).@count > 0")
        }
        guard keyPath == ["@count"] else {
            throw Self.unsupported(
                "of a SUBQUERY only @count can be taken", "write SUBQUERY(items, $x, …).@count > 0")
        }
        var inner = self
        inner.variables[variable] = destination
        return TypedExpression(
            node: .subquery(
                collection.node, variable: variable, try inner.resolve(condition, entity, isNegated: false),
                keyPath: keyPath), type: .number)
    }

    /// The entity of the objects of a to-many; nil where the key path is not of one, at its end.
    private func destination(of source: ExpressionNode, _ entity: EntityLayout) throws -> EntityLayout? {
        var current: EntityLayout
        let parts: [String]
        switch source {
        case .keyPath(let path): (current, parts) = (entity, path)
        case .variable(let name, let path): (current, parts) = (variables[name] ?? entity, path)
        default: return nil
        }
        var isToMany = false
        for part in parts {
            guard let relationship = current.relationship(part) else { continue }
            if isToMany { return nil }
            isToMany = relationship.isToMany
            current = try store.layout.entity(relationship.description.destinationEntityName)
        }
        return isToMany ? current : nil
    }

    private func conditional(
        _ condition: PredicateNode, _ yes: ExpressionNode, _ no: ExpressionNode, _ entity: EntityLayout
    ) throws -> TypedExpression {
        let condition = try resolve(condition, entity, isNegated: false)
        let (yes, no) = (try single(yes, entity), try single(no, entity))
        for side in [yes, no] {
            switch side.type {
            case .composite, .externalData:
                throw Self.unsupported("\(side.node.formatString) is no single column's value", "compare it by itself")
            default: break
            }
        }
        guard yes.type.compares(with: no.type) else {
            throw StoreError(
                .typeMismatch,
                "TERNARY gives \(yes.type.name) or \(no.type.name), which nothing compares with",
                way: "give values of one type")
        }
        var type = yes.isNull || yes.type == .undefined ? no.type : yes.type
        if yes.type != no.type, yes.type.isNumeric, no.type.isNumeric { type = .number }
        return TypedExpression(node: .conditional(condition, then: yes.node, else: no.node), type: type)
    }

    // MARK: Functions

    private func function(
        _ name: String, _ arguments: [ExpressionNode], _ entity: EntityLayout
    ) throws -> TypedExpression {
        if PredicateArithmetic.operators[name] != nil, arguments.count == 2 {
            return try arithmetic(name, arguments, entity)
        }
        if PredicateArithmetic.functions[name] == arguments.count {
            let numbers = try arguments.map { try number(single($0, entity), of: name) }
            return folded(name, numbers, .number)
        }
        if PredicateFunctions.ofText[name] != nil, arguments.count == 1 {
            let argument = try single(arguments[0], entity)
            guard [.text, .null, .undefined].contains(argument.type) else { throw mismatch(argument, name, "a text") }
            return TypedExpression(node: .function(name, [argument.node]), type: name == "length:" ? .number : .text)
        }
        switch (name, arguments.count) {
        case ("now", 0): return TypedExpression(node: .function(name, []), type: .date)
        case ("now:", 0): return TypedExpression(node: .function("now", []), type: .date)
        case ("CAST", 2): return try cast(arguments[0], arguments[1], entity)
        case ("count:", 1), ("size:", 1):
            if case .subquery(let source, let variable, let condition, let path) = arguments[0], path.isEmpty {
                return try subquery(source, variable, condition, ["@count"], entity)
            }
            if let counted = try aggregate("@count", arguments[0], entity) { return counted }
        case ("sum:", 1), ("min:", 1), ("max:", 1), ("average:", 1):
            let operation = name == "average:" ? "@avg" : "@\(name.dropLast())"
            if let computed = try aggregate(operation, arguments[0], entity) { return computed }
        default: break
        }
        throw Self.unsupported(
            "the function \(name) with \(arguments.count) arguments cannot be computed in SQL",
            "use arithmetic, an aggregate such as @sum, now(), or "
                + (Array(PredicateArithmetic.functions.keys) + PredicateFunctions.ofText.keys).sorted()
                .joined(separator: ", "))
    }

    /// `sum:(books.pages)` is `books.pages.@sum`.
    private func aggregate(
        _ operation: String, _ argument: ExpressionNode, _ entity: EntityLayout
    ) throws -> TypedExpression? {
        switch argument {
        case .keyPath(let parts): return try expression(.keyPath(parts + [operation]), entity)
        case .variable(let name, let parts):
            return try expression(.variable(name, keyPath: parts + [operation]), entity)
        default: return nil
        }
    }

    /// Takes an argument for a number, as it stands or by its text.
    private func number(_ argument: TypedExpression, of name: String) throws -> TypedExpression {
        var argument = argument
        if case .string? = argument.constant, let constant = argument.constant,
            let number = PredicateConstant.coerced(constant, to: .number)
        {
            argument = TypedExpression(node: .constant(number), type: .number)
        }
        guard argument.type.isNumeric || argument.isNull || argument.type == .undefined else {
            throw mismatch(argument, name, "a number")
        }
        return argument
    }

    /// Numbers with numbers; a date with a number of seconds; the seconds between two dates.
    private func arithmetic(
        _ name: String, _ arguments: [ExpressionNode], _ entity: EntityLayout
    ) throws -> TypedExpression {
        let isSum = name == "add:to:"
        let isDifference = name == "from:subtract:"
        let (left, right) = (try single(arguments[0], entity), try single(arguments[1], entity))
        if isSum || isDifference {
            switch (left.type, right.type) {
            case (.date, .date) where isDifference: return folded(name, [left, right], .number)
            case (.date, _) where right.type != .date:
                return folded(name, [left, try number(right, of: name)], .date)
            case (_, .date) where isSum && left.type != .date:
                return folded(name, [try number(left, of: name), right], .date)
            default: break
            }
        }
        return folded(name, [try number(left, of: name), try number(right, of: name)], .number)
    }

    /// Computed at once where all arguments are constants.
    private func folded(_ name: String, _ arguments: [TypedExpression], _ type: PredicateValueType) -> TypedExpression {
        let constants = arguments.compactMap(\.constant)
        guard constants.count == arguments.count else {
            return TypedExpression(node: .function(name, arguments.map(\.node)), type: type)
        }
        let value = PredicateConstant.model(
            PredicateArithmetic.value(name, constants.map { PredicateConstant.natural($0) }))
        let typed = PredicateConstant.coerced(value, to: type) ?? value
        return TypedExpression(node: .constant(typed), type: typed == .null ? .null : type)
    }

    /// Between numbers and dates, which are seconds since 2001, a cast changes nothing but the type.
    private func cast(
        _ node: ExpressionNode, _ type: ExpressionNode, _ entity: EntityLayout
    ) throws -> TypedExpression {
        let argument = try single(node, entity)
        guard case .constant(.string(let name)) = type else {
            throw Self.unsupported("CAST needs the name of a class", "write CAST(expression, 'NSNumber')")
        }
        let types: [String: PredicateValueType] = [
            "NSNumber": .number, "NSDate": .date, "NSString": .text, "NSDecimalNumber": .number,
        ]
        guard let wanted = types[name],
            wanted == argument.type || argument.isNull || argument.type.isNumeric && wanted == .number
                || [.number, .date].contains(wanted) && (argument.type.isNumeric || argument.type == .date)
        else {
            throw Self.unsupported(
                "\(argument.node.formatString) is \(argument.type.name) and cannot be cast to \(name) in SQL")
        }
        if let constant = argument.constant, argument.type != wanted {
            let number = PredicateConstant.model(PredicateConstant.natural(constant))
            let value = PredicateConstant.coerced(number, to: wanted) ?? number
            return TypedExpression(node: .constant(value), type: value == .null ? .null : wanted)
        }
        return TypedExpression(node: argument.node, type: wanted)
    }

    private func mismatch(_ argument: TypedExpression, _ name: String, _ wanted: String) -> StoreError {
        StoreError(
            .typeMismatch, "\(argument.node.formatString) is \(argument.type.name), and \(name) needs \(wanted)",
            way: "give \(wanted)")
    }
}
