import TestKit
import Testing

@testable import StoreModel

/// Attributes: what becomes of values.
@Suite struct AttributeInferenceTests {
    private func infer(_ old: AttributeDescription?, _ new: AttributeDescription?) -> InferredMapping {
        Short.infer(
            [Short.entity("E", [old].compactMap { $0 })], [Short.entity("E", [new].compactMap { $0 })])
    }

    @Test(arguments: [
        (Short.attribute("a"), nil), (Short.attribute("a", default: .string("x")), ModelValue.string("x")),
        (Short.attribute("a", optional: false, default: .string("x")), .string("x")),
    ])
    func anAttributeIsAddedOptionalOrWithItsDefault(new: AttributeDescription, fill: ModelValue?) {
        let mapping = infer(nil, new)
        #expect(mapping.refused == [])
        #expect(mapping.entity("E")?.attributes == [.init(name: "a", source: nil, leaves: [.init(fill: fill)])])
        #expect(mapping.told == ["add E.a"])
    }

    @Test func aMandatoryAttributeWithoutDefaultIsNotAdded() {
        #expect(infer(nil, Short.attribute("a", optional: false)).refused == ["E.a NoDefault"])
    }

    @Test func anAttributeOfANewEntityNeedsNoDefault() {
        #expect(Short.infer([], [Short.entity("E", [Short.attribute("a", optional: false)])]).refused == [])
    }

    @Test func anIdentifierKeepsTheValuesOfARenamedAttribute() {
        let mapping = infer(
            Short.attribute("modificationCounter"), Short.attribute("anchorKey", was: "modificationCounter"))
        #expect(mapping.entity("E")?.attribute("anchorKey")?.source == "modificationCounter")
        #expect(mapping.removedProperties == [])
        #expect(mapping.told == ["rename E.anchorKey"])
    }

    @Test func twoThatSayTheyWereTheSameAreRefusedAndNothingElseIsSaidOfThem() {
        let old = [Short.entity("E", [Short.attribute("name"), Short.attribute("other")])]
        let mapping = Short.infer(
            old,
            [
                Short.entity(
                    "E",
                    [
                        Short.attribute("first", was: "name"),
                        Short.attribute("second", .date, optional: false, was: "name"),
                        Short.attribute("other"),
                    ])
            ])
        #expect(mapping.refused == ["E.second RenameAmbiguous"])
        #expect(
            "\(mapping.refusals[0])"
                == "E.second: its renaming identifier says that it was name, and so does first's (leave the identifier to the "
                + "one that name's values go to)")
        // One that keeps its name says nothing of what it was, and two that change places do not collide.
        let taken = Short.infer(
            old, [Short.entity("E", [Short.attribute("new", was: "name"), Short.attribute("name")])])
        #expect(taken.refused == [] && taken.entity("E")?.attribute("name")?.source == nil)
        let swapped = Short.infer(
            old, [Short.entity("E", [Short.attribute("name", was: "other"), Short.attribute("other", was: "name")])])
        #expect(swapped.refused == [] && swapped.entity("E")?.attribute("name")?.source == "other")
    }

    @Test func withoutAnIdentifierARenameIsARemovalAndAnAddition() {
        let mapping = infer(Short.attribute("modificationCounter"), Short.attribute("anchorKey"))
        #expect(mapping.removedProperties.map(\.property) == ["modificationCounter"])
        #expect(mapping.told == ["add E.anchorKey", "remove E.modificationCounter"])
    }

    @Test func anOptionalAttributeBecomesMandatoryOnlyWithADefault() {
        let filled = infer(Short.attribute("a"), Short.attribute("a", optional: false, default: .string("Unnamed")))
        #expect(filled.refused == [])
        #expect(filled.entity("E")?.attribute("a")?.leaves == [.init(source: 0, fill: .string("Unnamed"))])
        #expect(infer(Short.attribute("a"), Short.attribute("a", optional: false)).refused == ["E.a NoDefault"])
        let freed = infer(Short.attribute("a", optional: false), Short.attribute("a"))
        #expect(freed.refused == [] && freed.entity("E")?.attribute("a")?.leaves == [.init(source: 0)])
    }

    @Test(arguments: [
        (AttributeType.string, AttributeType.integer64), (.integer16, .integer64), (.date, .double),
        (.binaryData, .transformable), (.uuid, .string),
    ])
    func aTypeIsNotConverted(old: AttributeType, new: AttributeType) {
        let mapping = infer(Short.attribute("a", old), Short.attribute("a", new))
        #expect(mapping.refused == ["E.a TypeChanged"])
        #expect(mapping.refusals.first?.reason.contains("\(old)") == true)
    }

    @Test func anAttributeDoesNotBecomeARelationshipNorTheOtherWay() {
        let relationship = Short.toOne("a", "E")
        let attribute = Short.entity("E", [Short.attribute("a")])
        #expect(Short.infer([attribute], [Short.entity("E", [], [relationship])]).refused == ["E.a KindChanged"])
        #expect(Short.infer([Short.entity("E", [], [relationship])], [attribute]).refused == ["E.a KindChanged"])
    }

    @Test func transientAttributesHaveNoValuesToCarry() {
        var transient = Short.attribute("a")
        transient.isTransient = true
        #expect(infer(Short.attribute("a"), transient).removedProperties.map(\.property) == ["a"])
        #expect(infer(transient, Short.attribute("a", optional: false)).refused == ["E.a NoDefault"])
        #expect(infer(transient, nil).removedProperties == [])
    }

    @Test func externalStorageBeginsAndEnds() {
        var external = Short.attribute("a", .binaryData)
        external.allowsExternalBinaryDataStorage = true
        let plain = Short.attribute("a", .binaryData)
        #expect(infer(plain, external).entity("E")?.attribute("a")?.leaves.first?.storage == .toExternal)
        #expect(infer(external, plain).entity("E")?.attribute("a")?.leaves.first?.storage == .fromExternal)
        #expect(infer(external, external).entity("E")?.attribute("a")?.leaves.first?.storage == .same)
    }

    @Test func elementsOfACompositeAreMatchedOneByOne() {
        let old = Short.composite("who", Short.attribute("name"), Short.attribute("age", .integer64))
        let more = Short.composite(
            "who", Short.attribute("nick"), Short.attribute("age", .integer64), Short.attribute("name"))
        let mapping = infer(old, more)
        #expect(mapping.refused == [])
        #expect(mapping.entity("E")?.attribute("who")?.leaves == [.init(), .init(source: 1), .init(source: 0)])
        #expect(mapping.removedProperties == [])
        let renamed = Short.composite("who", Short.attribute("title"), Short.attribute("age", .integer64))
        #expect(infer(old, renamed).removedProperties.map(\.property) == ["who.name"])
        let kept = Short.composite("who", Short.attribute("title", was: "name"), Short.attribute("age", .integer64))
        #expect(infer(old, kept).removedProperties == [])
        let changed = Short.composite("who", Short.attribute("name"), Short.attribute("age", .double))
        #expect(infer(old, changed).refused == ["E.who.age TypeChanged"])
    }

    @Test func aDerivedAttributeNeedsNoValueAndLosesNone() {
        var derived = Short.attribute("a", .integer64, optional: false)
        derived.derivation = DerivationExpression(hashDescription: "count:(parts)", format: "parts.@count")
        #expect(infer(nil, derived).refused == [])
        #expect(infer(derived, nil).removedProperties == [])
        #expect(infer(Short.attribute("a", .integer64), derived).removedProperties.map(\.property) == ["a"])
    }

    @Test func whatOnlyTheHashSeesKeepsTheValues() {
        var marked = Short.attribute("a")
        marked.versionHashModifier = "2"
        let mapping = infer(Short.attribute("a"), marked)
        #expect(mapping.refused == [] && mapping.removedProperties == [])
        #expect(mapping.told == ["change E.a"])
    }
}
