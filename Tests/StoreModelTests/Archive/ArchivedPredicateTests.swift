import Foundation
import KeyedArchive
import Testing

@testable import StoreModel

/// Predicates that nothing here evaluates are kept as they stand, shown, and written again; a model is never refused for
/// one, save where its text goes into a version hash.
@Suite struct ArchivedPredicateTests {
    /// A model with entity E and a fetch request whose predicate is built by `body`.
    private func archive(
        attribute: ((inout KeyedArchiver) -> KeyedArchiver.Reference)? = nil,
        _ body: (inout KeyedArchiver) -> KeyedArchiver.Reference
    ) throws -> Data {
        var archiver = KeyedArchiver()
        var properties: [(key: KeyedArchiver.Reference, value: KeyedArchiver.Reference)] = []
        if let attribute { properties.append((archiver.string("a"), attribute(&archiver))) }
        let entity = archiver.object(
            "NSEntityDescription", bases: ["NSObject"],
            [
                "NSEntityName": archiver.string("E").node,
                "NSProperties": archiver.dictionary("NSDictionary", properties).node,
            ])
        let request = archiver.object(
            "NSFetchRequest", bases: ["NSPersistentStoreRequest", "NSObject"],
            ["NSEntity": entity.node, "NSPredicate": body(&archiver).node])
        let root = archiver.object(
            "NSManagedObjectModel", bases: ["NSObject"],
            [
                "NSEntities": archiver.dictionary("NSDictionary", [(archiver.string("E"), entity)]).node,
                "NSFetchRequestTemplates": archiver.dictionary("NSDictionary", [(archiver.string("R"), request)]).node,
            ])
        return try archiver.archive(root: root)
    }

    private static func expression(
        _ archiver: inout KeyedArchiver, _ className: String, _ type: Int64, _ fields: PropertyListDictionary = [:]
    ) -> KeyedArchiver.Reference {
        var fields = fields
        fields["NSExpressionType"] = .integer(type)
        return archiver.object(className, bases: ["NSExpression", "NSObject"], fields)
    }

    private static func constant(_ archiver: inout KeyedArchiver, _ value: Int64) -> KeyedArchiver.Reference {
        let number = archiver.value(.integer(value))
        return expression(&archiver, "NSConstantValueExpression", 0, ["NSConstantValue": number.node])
    }

    private static func compare(
        _ archiver: inout KeyedArchiver, _ left: KeyedArchiver.Reference, _ right: KeyedArchiver.Reference,
        operator name: String = "NSEqualityPredicateOperator", _ fields: PropertyListDictionary = [:]
    ) -> KeyedArchiver.Reference {
        var fields = fields
        if fields["NSOperatorType"] == nil { fields["NSOperatorType"] = .integer(4) }
        let archived = archiver.object(name, bases: ["NSPredicateOperator", "NSObject"], fields)
        return archiver.object(
            "NSComparisonPredicate", bases: ["NSPredicate", "NSObject"],
            ["NSLeftExpression": left.node, "NSRightExpression": right.node, "NSPredicateOperator": archived.node])
    }

    /// Each kind with what names it in the model's unread parts.
    enum Kind: String, CaseIterable {
        case set = "NSSetExpression"
        case anyKey = "NSAnyKeyExpression"
        case block = "NSBlockExpression"
        case assignment = "NSVariableAssignmentExpression"
        case emptyTernary = "NSTernaryExpression"
        case classConstant = "NSConstantValueExpression"
        case wrongArguments = "NSFunctionExpression"
        case keyPath = "NSKeyPathSpecifierExpression"
        case selector = "isNearly:"
        case modifier = "modifier 7"
        case options = "options 64"
        case predicate = "AppPredicate"
        case negation = "NOT of 2"
    }

    private static func build(_ kind: Kind, _ archiver: inout KeyedArchiver) -> KeyedArchiver.Reference {
        let one = constant(&archiver, 1)
        let two = constant(&archiver, 2)
        let itself = expression(&archiver, "NSSelfExpression", 1)
        switch kind {
        case .set:
            let union = expression(
                &archiver, "NSSetExpression", 5, ["NSLeftExpression": one.node, "NSRightExpression": two.node])
            return compare(&archiver, itself, union)
        case .anyKey: return compare(&archiver, expression(&archiver, "NSAnyKeyExpression", 15), one)
        case .block: return compare(&archiver, expression(&archiver, "NSBlockExpression", 19), one)
        case .assignment:
            let fields: PropertyListDictionary = ["NSAssignmentVariable": archiver.string("x").node]
            return compare(&archiver, expression(&archiver, "NSVariableAssignmentExpression", 12, fields), one)
        case .emptyTernary: return compare(&archiver, expression(&archiver, "NSTernaryExpression", 20), one)
        case .classConstant:
            let fields: PropertyListDictionary = ["NSConstantValueClassName": archiver.string("AppThing").node]
            return compare(&archiver, expression(&archiver, "NSConstantValueExpression", 0, fields), one)
        case .wrongArguments:
            let utilities: PropertyListDictionary = [
                "NSConstantValueClassName": archiver.string("_NSPredicateUtilities").node
            ]
            let operand = expression(&archiver, "NSConstantValueExpression", 0, utilities)
            let fields: PropertyListDictionary = [
                "NSOperand": operand.node, "NSSelectorName": archiver.string("sum:").node,
                "NSArguments": archiver.collection("NSArray", [one, two]).node,
            ]
            return compare(&archiver, expression(&archiver, "NSFunctionExpression", 4, fields), one)
        case .keyPath:
            let fields: PropertyListDictionary = ["NSKeyPath": archiver.string("a-b").node]
            return compare(&archiver, expression(&archiver, "NSKeyPathSpecifierExpression", 10, fields), one)
        case .selector:
            return compare(
                &archiver, itself, one, operator: "NSCustomPredicateOperator",
                ["NSOperatorType": .integer(11), "NSSelectorName": archiver.string("isNearly:").node])
        case .modifier: return compare(&archiver, itself, one, ["NSModifier": .integer(7)])
        case .options: return compare(&archiver, itself, one, ["NSOptions": .integer(64)])
        case .predicate:
            return archiver.object(
                "AppPredicate", bases: ["NSPredicate", "NSObject"], ["shade": archiver.string("dark").node])
        case .negation:
            let parts = [compare(&archiver, itself, one), compare(&archiver, itself, two)]
            return archiver.object(
                "NSCompoundPredicate", bases: ["NSPredicate", "NSObject"],
                [
                    "NSCompoundPredicateType": .integer(0),
                    "NSSubpredicates": archiver.collection("NSArray", parts).node,
                ])
        }
    }

    @Test(arguments: Kind.allCases)
    func whatNothingHereEvaluatesIsKeptAndMarked(_ kind: Kind) throws {
        let model = try ModelCache.decode(
            archive: archive { archiver in Self.build(kind, &archiver) }, source: "test")
        let format = try #require(model.fetchRequestTemplates.first?.predicateFormat)
        #expect(try PredicateNode.parse(format).archivedPart != nil, "\(format)")
        #expect(
            model.unreadParts.contains { $0.place == "fetch request R" && $0.value.contains(kind.rawValue) },
            "\(model.unreadParts)")
        #expect(model.warnings().contains { $0.code == .unreadablePredicate })
        // What the archive left out is there now; from then on nothing changes.
        let read = try ModelCache.decode(ModelCache.encode(model))
        #expect(read.fetchRequestTemplates.first?.predicateFormat == format && read.unreadParts == model.unreadParts)
        #expect(try ModelCache.decode(ModelCache.encode(read)) == read)
    }

    @Test func aKeptPartIsWrittenAsItStood() throws {
        let model = try ModelCache.decode(
            archive: archive { archiver in Self.build(.set, &archiver) }, source: "test")
        let root = try #require(try KeyedArchive(data: ModelCache.archive(model)).root)
        let request = try #require(root["NSFetchRequestTemplates"]?.namedEntries?.first?.value)
        let union = try #require(request["NSPredicate"]?["NSRightExpression"])
        #expect(union.className == "NSSetExpression" && union["NSExpressionType"]?.integer == 5)
        #expect(union["NSLeftExpression"]?["NSConstantValue"]?.integer == 1)
        #expect(union["NSRightExpression"]?["NSConstantValue"]?.integer == 2)
        #expect(union.classNames == ["NSSetExpression", "NSExpression", "NSObject"])
    }

    @Test func aConditionalIsReadFromItsThreeParts() throws {
        let data = try archive { archiver in
            let itself = Self.expression(&archiver, "NSSelfExpression", 1)
            let condition = Self.compare(&archiver, itself, Self.constant(&archiver, 1))
            let fields: PropertyListDictionary = [
                "NSPredicate": condition.node, "NSTrueExpression": Self.constant(&archiver, 2).node,
                "NSFalseExpression": Self.constant(&archiver, 3).node,
            ]
            let ternary = Self.expression(&archiver, "NSTernaryExpression", 20, fields)
            return Self.compare(&archiver, ternary, Self.constant(&archiver, 2))
        }
        let model = try ModelCache.decode(archive: data, source: "test")
        #expect(model.fetchRequestTemplates.first?.predicateFormat == "TERNARY(SELF == 1, 2, 3) == 2")
        #expect(model.unreadParts.isEmpty)
    }

    @Test func aDerivationThatCannotBeReadIsRefusedForItsHash() throws {
        let data = try archive { archiver in
            let any = Self.expression(&archiver, "NSAnyKeyExpression", 15)
            return archiver.object(
                "NSDerivedAttributeDescription",
                bases: ["NSAttributeDescription", "NSPropertyDescription", "NSObject"],
                [
                    "NSPropertyName": archiver.string("a").node, "NSAttributeType": .integer(700),
                    "NSDerivationExpression": any.node,
                ])
        } _: { archiver in
            archiver.object("NSTruePredicate", bases: ["NSPredicate", "NSObject"], [:])
        }
        #expect(throws: ModelError.unsupported(what: "expression class NSAnyKeyExpression", place: "E.a")) {
            try ModelCache.decode(archive: data, source: "test")
        }
    }

    @Test(arguments: [
        ModelValue.string("é\"\n"), .integer(-4), .double(0.5), .bool(true), .date(Date(timeIntervalSince1970: 5)),
        .data(Data([0, 255])), .uuid(UUID()), .url("http://a/b?c"), .decimal(Decimal(string: "1.25") ?? 0),
        .dictionary(["a": .integer(1), "b": .dictionary(["c": .string("d")])]), .null,
    ])
    func aConstantOfAnyKindReadsBackFromItsText(_ value: ModelValue) throws {
        let node = ExpressionNode.constant(value)
        #expect(try ExpressionNode.parse(node.formatString) == node)
    }

    @Test func aConstantOfAnApplicationsClassReadsBackFromItsText() throws {
        var archiver = KeyedArchiver()
        let root = archiver.object("AppColor", bases: ["NSObject"], ["red": .real(0.5)])
        let node = ExpressionNode.constant(
            .archived(className: "AppColor", archive: try archiver.archive(root: root)))
        #expect(try ExpressionNode.parse(node.formatString) == node)
    }

    /// Core Data's defaults are 30: everything but distinct results, which is bit 1 (Format, section 7).
    @Test(arguments: [
        (30, [false, true, true, true, true]), (31, [true, true, true, true, true]),
        (28, [false, false, true, true, true]), (26, [false, true, false, true, true]),
        (22, [false, true, true, false, true]), (14, [false, true, true, true, false]),
    ])
    func theOptionsOfARequestAreBitsOfItsFlags(_ flags: Int, _ options: [Bool]) throws {
        var request = FetchRequestTemplate(name: "R", entityName: "E")
        request.returnsDistinctResults = options[0]
        request.includesSubentities = options[1]
        request.includesPropertyValues = options[2]
        request.returnsObjectsAsFaults = options[3]
        request.includesPendingChanges = options[4]
        let model = ModelDescription(
            entities: [EntityDescription(name: "E")], fetchRequestTemplates: [request])
        let archive = try ModelCache.archive(model)
        let archived = try KeyedArchive(data: archive).root?["NSFetchRequestTemplates"]?.namedEntries?.first?.value
        #expect(archived?["NSFetchRequestFlags"]?.integer == Int64(flags))
        let read = try #require(try ModelCache.decode(archive: archive, source: "test").fetchRequestTemplates.first)
        #expect(read.flags == flags)
        request.flags = flags
        #expect(read == request)
    }

    @Test func flagsThatNothingIsKnownOfAreKept() throws {
        var request = FetchRequestTemplate(name: "R", entityName: "E")
        request.setOptions(flags: 30 | 64)
        request.includesPendingChanges = false
        #expect(request.archivedFlags == 14 | 64)
    }
}
