import CoreData
import Foundation
import StoreFormat
import StoreModel
import TestKit
import Testing

/// What a save refuses, with Core Data's number for each failure.
@Suite struct ValidationTests {
    private static let model: ModelDescription = {
        // As compiled models hold the bounds.
        func rule(_ format: String, _ code: Int64) -> AttributeDescription.Validation {
            .init(predicateFormat: format, warning: .integer(code))
        }
        var entity = EntityDescription(name: "Form")
        var code = AttributeDescription(name: "code", type: .string)
        code.validations = [
            rule("length >= 2", 1670), rule("length <= 4", 1660), rule("SELF MATCHES \"[A-Z]+\"", 1680),
        ]
        var age = AttributeDescription(name: "age", type: .integer16, isOptional: true)
        age.validations = [rule("SELF >= 18", 1620), rule("SELF <= 99", 1610)]
        var born = AttributeDescription(name: "born", type: .date, isOptional: true)
        born.validations = [rule("SELF >= CAST(0, \"NSDate\")", 1640), rule("SELF <= CAST(100, \"NSDate\")", 1630)]
        var rate = AttributeDescription(name: "rate", type: .double, isOptional: true)
        rate.validations = [
            rule("SELF >= 0.5", 1620), .init(predicateFormat: "SELF != 3", warning: .string("not three")),
        ]
        var name = AttributeDescription(name: "name", type: .string, isOptional: true)
        name.validations = [rule("length <= 3", 1660)]
        entity.attributes = [code, age, born, rate, name]
        return ModelDescription(entities: [entity])
    }()

    private func error(_ values: [String: Any]) throws -> StoreError? {
        let library = try Library(model: Self.model)
        library.insert("Form", ["code": "AB"].merging(values) { $1 })
        do {
            try library.context.save()
            return nil
        } catch let error as StoreError {
            return error
        }
    }

    @Test(
        arguments: [
            ("code", "A", 1670), ("code", "ABCDE", 1660), ("code", "ab", 1680), ("age", 17, 1620), ("age", 100, 1610),
            ("born", Date(timeIntervalSinceReferenceDate: -1), 1640),
            ("born", Date(timeIntervalSinceReferenceDate: 101), 1630), ("rate", 0.4, 1620), ("rate", 3.0, 1550),
            ("name", "abcd", 1660), ("code", NSNull(), 1570),
        ] as [(String, any Sendable, Int)])
    func oneFailureHasItsNumber(key: String, value: any Sendable, code: Int) throws {
        let found = try #require(try error([key: value]))
        #expect(found.code == .validationFailed)
        #expect(found.objects.map(\.property) == [key])
        #expect(found.objects.map(\.validationCode) == [code])
        let cocoa = found as NSError
        #expect(cocoa.domain == NSCocoaErrorDomain)
        #expect(cocoa.code == code)
        #expect(cocoa.userInfo[NSValidationKeyErrorKey] as? String == key)
    }

    @Test(
        arguments: [
            ("code", "ABCD"), ("age", 18), ("age", 99), ("born", Date(timeIntervalSinceReferenceDate: 0)),
            ("rate", 0.5),
            ("name", "abc"), ("name", "e\u{301}x"),
        ] as [(String, any Sendable)])
    func whatIsAtTheEdgeIsTaken(key: String, value: any Sendable) throws {
        #expect(try error([key: value]) == nil)
    }

    /// Real stores have empty to-manys that are not optional: SwiftData's arrays are, and Photos' moments.
    @Test(arguments: [(0, 0, nil), (2, 0, 1580), (2, 1, 1580), (2, 2, nil)] as [(Int, Int, Int?)])
    func aToManyNeedsAsManyAsItsMinimumSays(minimum: Int, count: Int, code: Int?) throws {
        var list = EntityDescription(name: "List")
        var items = RelationshipDescription(
            name: "items", destination: "Item", inverse: "list", maxCount: 0, isOptional: false)
        items.minCount = minimum
        list.relationships = [items]
        var item = EntityDescription(name: "Item")
        item.relationships = [RelationshipDescription(name: "list", destination: "List", inverse: "items")]
        let library = try Library(model: ModelDescription(entities: [list, item]))
        let object = library.insert("List", [:])
        for _ in 0..<count { library.insert("Item", ["list": object]) }
        var found: StoreError?
        do { try library.context.save() } catch let error as StoreError { found = error }
        #expect(found?.objects.map(\.validationCode) == code.map { [$0] })
    }

    @Test func severalFailuresAreAllNamed() throws {
        let found = try #require(try error(["code": "a", "age": 1, "rate": 0.1]))
        #expect(found.objects.map(\.validationCode) == [1620, 1670, 1680, 1620])
        let cocoa = found as NSError
        #expect(cocoa.code == NSValidationMultipleErrorsError)
        let all = try #require(cocoa.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(all.map(\.code) == [1620, 1670, 1680, 1620])
        #expect(all.map { $0.userInfo[NSValidationKeyErrorKey] as? String } == ["age", "code", "code", "rate"])
    }
}
